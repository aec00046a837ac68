#include "coordinator/live_state.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "common/statistics.h"

namespace mstune::coordinator {
namespace {

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::optional<double> middle_of(const std::map<Candidate, std::vector<double>>& medians_us,
                                const Candidate& candidate) {
  const auto found = medians_us.find(candidate);
  return found == medians_us.end() ? std::nullopt : std::optional(middle(found->second));
}

}  // namespace

void LiveState::take(const ProgressEvent& event, TimePoint now) {
  if (!begun_ && now != TimePoint{}) {
    begun_ = now;
  }
  if (const auto* campaign = std::get_if<CampaignBegun>(&event)) {
    candidates_ = campaign->candidates;
    rounds_ = campaign->rounds;
  } else if (const auto* planned = std::get_if<TrialsPlanned>(&event)) {
    planned_ += planned->trials;
    open_ended_ = planned->open_ended;
  } else if (const auto* build = std::get_if<BuildBegun>(&event)) {
    building_.push_back(build->candidate);
  } else if (const auto* built = std::get_if<BuildDone>(&event)) {
    std::erase(building_, built->candidate);
  } else if (const auto* lost = std::get_if<BuildLost>(&event)) {
    std::erase(building_, lost->candidate);
  } else if (const auto* begun = std::get_if<TrialBegun>(&event)) {
    begin(*begun, now);
  } else if (const auto* done = std::get_if<TrialDone>(&event)) {
    end(*done);
  } else if (const auto* steps = std::get_if<StepsSeen>(&event)) {
    for (RunningTrial& each : running_) {
      if (each.trial.index == steps->trial.index) {
        each.steps = steps->steps;
        each.median_us = steps->median_us;
      }
    }
  }
}

// A session that only confirms ranks what it confirms.
void LiveState::note_purpose(const Trial& trial) {
  ranked_ =
      ranked_.value_or(trial.purpose == Purpose::confirm ? Purpose::confirm : Purpose::measure);
}

void LiveState::begin(const TrialBegun& event, TimePoint now) {
  note_purpose(event.trial);
  std::erase_if(running_,
                [&](const RunningTrial& each) { return each.trial.index == event.trial.index; });
  running_.push_back({event.trial, now, 0, std::nullopt});
  round_ = event.trial.repeat;
  first_trial_ = first_trial_.value_or(now);
}

void LiveState::end(const TrialDone& event) {
  const EvaluatedTrial& done = event.trial;
  note_purpose(done.trial);
  std::erase_if(running_,
                [&](const RunningTrial& each) { return each.trial.index == done.trial.index; });
  ++done_;
  done_here_ += first_trial_ ? 1U : 0U;
  const Candidate& candidate = done.trial.candidate;
  if (std::find(candidates_.begin(), candidates_.end(), candidate) == candidates_.end()) {
    candidates_.push_back(candidate);
  }
  if (done.trial.purpose != ranked_) {
    return;
  }
  ++trials_[candidate];
  if (done.evaluation.valid && !done.evaluation.costs_us.empty()) {
    std::vector<std::uint64_t> pool = done.evaluation.costs_us;
    medians_us_[done.trial.device.value_or(0)][candidate].push_back(figures_of(pool).median_us);
  }
}

std::vector<StandingSoFar> LiveState::standings() const {
  std::vector<StandingSoFar> standings;
  for (const Candidate& candidate : candidates_) {
    StandingSoFar standing{candidate, 0, 0, std::nullopt, std::nullopt};
    if (const auto found = trials_.find(candidate); found != trials_.end()) {
      standing.trials = found->second;
    }
    for (const auto& [device, medians] : medians_us_) {
      if (const auto found = medians.find(candidate); found != medians.end()) {
        standing.valid += found->second.size();
      }
    }
    if (medians_us_.size() == 1) {
      standing.median_us = middle_of(medians_us_.begin()->second, candidate);
    }
    standing.speedup = speedup_of(candidate);
    standings.push_back(standing);
  }
  const bool by_speedup = medians_us_.size() > 1;
  const auto cost = [by_speedup](const StandingSoFar& standing) {
    const auto& known = by_speedup ? standing.speedup : standing.median_us;
    return std::tuple(!known, by_speedup ? -known.value_or(0.0) : known.value_or(0.0));
  };
  std::stable_sort(standings.begin(), standings.end(),
                   [&cost](const StandingSoFar& left, const StandingSoFar& right) {
                     return cost(left) < cost(right);
                   });
  return standings;
}

// The geometric mean over the devices that have both.
std::optional<double> LiveState::speedup_of(const Candidate& candidate) const {
  double sum = 0.0;
  std::size_t devices = 0;
  for (const auto& [device, medians] : medians_us_) {
    const auto own = middle_of(medians, candidate);
    const auto base = middle_of(medians, kDefaultCandidate);
    if (own && base && *own > 0.0 && *base > 0.0) {
      sum += std::log(*base / *own);
      ++devices;
    }
  }
  return devices == 0 ? std::nullopt : std::optional(std::exp(sum / static_cast<double>(devices)));
}

std::optional<double> LiveState::default_median_us(const Trial& trial) const {
  const auto found = medians_us_.find(trial.device.value_or(0));
  return found == medians_us_.end() ? std::nullopt : middle_of(found->second, kDefaultCandidate);
}

std::optional<Duration> LiveState::elapsed(TimePoint now) const {
  return begun_ ? std::optional(Duration(now - *begun_)) : std::nullopt;
}

// Trials that run side by side count as they are: what was done in the time so far.
std::optional<Duration> LiveState::left(TimePoint now) const {
  if (done_here_ == 0 || !first_trial_ || planned_ < done_) {
    return std::nullopt;
  }
  const double so_far = std::chrono::duration<double>(now - *first_trial_).count();
  const double seconds =
      so_far / static_cast<double>(done_here_) * static_cast<double>(planned_ - done_);
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

}  // namespace mstune::coordinator
