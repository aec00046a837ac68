#include "coordinator/joint_ranking.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace mstune::coordinator {
namespace {

using Place = std::pair<std::uint32_t, int>;  // device, round

std::uint32_t device_of(const Trial& trial) {
  return trial.device.value_or(0);
}

// The median costs of the valid trials by where and when they ran; those of 0 us say nothing.
class Medians {
 public:
  explicit Medians(const std::vector<EvaluatedTrial>& trials) {
    for (const EvaluatedTrial& trial : trials) {
      std::vector<std::uint64_t> pool = trial.evaluation.costs_us;
      if (!trial.evaluation.valid || pool.empty() || trial.trial.purpose != Purpose::measure) {
        continue;
      }
      const double median = figures_of(pool).median_us;
      if (median > 0.0) {
        medians_[trial.trial.candidate][{device_of(trial.trial), trial.trial.repeat}] = median;
      }
    }
  }

  // Logarithms of default / candidate in the rounds that have both, by device.
  [[nodiscard]] std::map<std::uint32_t, std::vector<double>> log_ratios(
      const Candidate& candidate) const {
    std::map<std::uint32_t, std::vector<double>> ratios;
    const auto own = medians_.find(candidate);
    const auto base = medians_.find(kDefaultCandidate);
    if (own == medians_.end() || base == medians_.end()) {
      return ratios;
    }
    for (const auto& [place, median] : own->second) {
      if (const auto other = base->second.find(place); other != base->second.end()) {
        ratios[place.first].push_back(std::log(other->second / median));
      }
    }
    return ratios;
  }

 private:
  std::map<Candidate, std::map<Place, double>> medians_;
};

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) {
    sum += value;
  }
  return sum / static_cast<double>(values.size());
}

std::optional<double> joint_speedup(const std::map<std::uint32_t, std::vector<double>>& ratios,
                                    Spread spread) {
  std::vector<double> logs;
  for (const auto& [device, of_device] : ratios) {
    if (spread == Spread::replicate) {
      logs.push_back(mean(of_device));
    } else {
      logs.insert(logs.end(), of_device.begin(), of_device.end());
    }
  }
  return logs.empty() ? std::nullopt : std::optional<double>(std::exp(mean(logs)));
}

Verdict verdict_of(const Summary& summary) {
  if (summary.steps == 0) {
    return Verdict::invalid;
  }
  if (!summary.speedup) {
    return Verdict::no_baseline;
  }
  if (summary.candidate == kDefaultCandidate) {
    return Verdict::neutral;
  }
  return *summary.speedup >= kImprovementSpeedup ? Verdict::improvement
         : *summary.speedup < kRegressionSpeedup ? Verdict::regression
                                                 : Verdict::neutral;
}

bool ranks_before_jointly(const Summary& left, const Summary& right) {
  if ((left.steps > 0) != (right.steps > 0)) {
    return left.steps > 0;
  }
  if (left.speedup != right.speedup) {
    return right.speedup < left.speedup;  // without one comes last
  }
  return name(left.candidate) < name(right.candidate);
}

// Turns summaries that were pooled over everything into joint ones, and ranks them.
void make_joint(std::vector<Summary>& summaries, const Medians& medians, Spread spread) {
  for (Summary& summary : summaries) {
    summary.figures.reset();
    summary.speedup = joint_speedup(medians.log_ratios(summary.candidate), spread);
    summary.verdict = verdict_of(summary);
  }
  std::sort(summaries.begin(), summaries.end(), ranks_before_jointly);
}

Candidate best_of(const std::vector<Summary>& summaries, const Confidence& confidence) {
  const auto best = std::find_if(summaries.begin(), summaries.end(), [&](const Summary& summary) {
    const auto known = confidence.candidates.find(summary.candidate);
    const bool vetoed = known != confidence.candidates.end() && known->second.result.vetoed;
    return summary.verdict == Verdict::improvement && !vetoed;
  });
  return best == summaries.end() ? kDefaultCandidate : best->candidate;
}

std::vector<EvaluatedTrial> trials_on(const std::vector<EvaluatedTrial>& trials,
                                      const std::set<std::uint32_t>& devices) {
  std::vector<EvaluatedTrial> result;
  std::copy_if(
      trials.begin(), trials.end(), std::back_inserter(result),
      [&](const EvaluatedTrial& trial) { return devices.contains(device_of(trial.trial)); });
  return result;
}

void count_trials(PartRanking& part, const std::vector<EvaluatedTrial>& trials) {
  part.trials = trials.size();
  part.valid_trials = static_cast<std::uint64_t>(
      std::count_if(trials.begin(), trials.end(),
                    [](const EvaluatedTrial& trial) { return trial.evaluation.valid; }));
}

void rank_devices(const CampaignDocument& campaign, const std::vector<EvaluatedTrial>& trials,
                  Ranking& ranking) {
  for (const DeviceRecord& device : campaign.fleet->devices) {
    const auto own = trials_on(trials, {device.number});
    const Ranking of_device = rank(own, campaign.candidates);
    PartRanking part;
    part.name = device.chip;
    part.devices = {device.number};
    part.summaries = of_device.summaries;
    part.recommended = of_device.recommended;
    count_trials(part, own);
    ranking.devices.push_back(std::move(part));
  }
}

// The runs as one campaign: a round of one device is a round, clocks of different machines say
// nothing about drift, and a digest is what it is to `default` of the same device.
std::vector<RunFigure> joint_runs(std::vector<RunFigure> runs, std::size_t replicas) {
  std::map<std::uint32_t, std::string> baselines;
  for (const RunFigure& run : runs) {
    if (run.candidate == kDefaultCandidate && run.digest) {
      baselines.try_emplace(run.device, *run.digest);
    }
  }
  for (RunFigure& run : runs) {
    run.round = (run.round - 1) * static_cast<int>(replicas) + 1 +
                (replicas > 1 ? static_cast<int>(run.device) : 0);
    run.start_s.reset();
    if (run.digest) {
      const auto baseline = baselines.find(run.device);
      const bool same = baseline != baselines.end() && baseline->second == *run.digest;
      run.digest = same ? "baseline" : fmt::format("{}: {}", run.device, *run.digest);
    }
  }
  return runs;
}

// Where every device ran everything, each chip model has a ranking of its own.
void rank_chips(const CampaignDocument& campaign, const std::vector<EvaluatedTrial>& trials,
                Ranking& ranking) {
  std::map<std::string, std::set<std::uint32_t>> chips;
  for (const DeviceRecord& device : campaign.fleet->devices) {
    chips[device.chip].insert(device.number);
  }
  for (const auto& [chip, devices] : chips) {
    const auto own = trials_on(trials, devices);
    PartRanking part;
    part.name = chip;
    part.devices.assign(devices.begin(), devices.end());
    const Ranking pooled = rank(own, campaign.candidates);
    part.summaries = pooled.summaries;
    make_joint(part.summaries, Medians(own), Spread::replicate);
    part.recommended = best_of(part.summaries, ranking.confidence);
    count_trials(part, own);
    ranking.chips.push_back(std::move(part));
  }
}

// Devices on which the joint recommendation is no improvement, or another candidate wins clearly.
void note_disagreements(const CampaignDocument& campaign, Ranking& ranking) {
  for (const PartRanking& part : ranking.devices) {
    if (part.valid_trials == 0 || part.recommended == ranking.recommended) {
      continue;
    }
    const auto speedup = [&](const Candidate& candidate) {
      const auto found =
          std::find_if(part.summaries.begin(), part.summaries.end(),
                       [&](const Summary& summary) { return summary.candidate == candidate; });
      return found == part.summaries.end() ? std::nullopt : found->speedup;
    };
    const auto joint = speedup(ranking.recommended);
    const auto own = speedup(part.recommended);
    if (joint && own && *own < *joint * kImprovementSpeedup && *joint >= kRegressionSpeedup) {
      continue;  // a difference that nobody would act upon
    }
    ranking.disagreements.push_back(message(
        "report.devices_disagree", "{} would choose {} ({} times as fast as default; {} there: {})",
        title(*campaign.fleet, campaign.fleet->devices[part.devices.front()]),
        name(part.recommended), own ? fmt::format("{:.3f}", *own) : "-", name(ranking.recommended),
        joint ? fmt::format("{:.3f}", *joint) : "-"));
  }
}

}  // namespace

ConfidenceRules confidence_rules(const CampaignDocument& campaign) {
  ConfidenceRules rules;
  if (campaign.max_repeat) {
    rules.until_proven = SequentialRules{};
    rules.until_proven->max_rounds = std::max<std::size_t>(2, *campaign.max_repeat);
    rules.until_proven->first_look = std::max<std::size_t>(2, campaign.repeat);
    rules.refine = campaign.refine;
  }
  return rules;
}

Ranking rank_run(const CampaignDocument& campaign, const std::vector<EvaluatedTrial>& trials) {
  Ranking ranking = rank(trials, campaign.candidates, confidence_rules(campaign));
  if (!campaign.fleet) {
    return ranking;
  }
  const Fleet& fleet = *campaign.fleet;
  make_joint(ranking.summaries, Medians(trials), fleet.spread);
  const std::size_t replicas = fleet.spread == Spread::replicate ? fleet.devices.size() : 1;
  std::vector<Candidate> candidates;
  for (const Summary& summary : ranking.summaries) {
    candidates.push_back(summary.candidate);
  }
  const auto confirmation = ranking.confidence.confirmation;
  ranking.confidence = confidence_of(joint_runs(run_figures(trials), replicas), candidates,
                                     confidence_rules(campaign));
  ranking.confidence.confirmation = confirmation;
  ranking.recommended = best_of(ranking.summaries, ranking.confidence);
  rank_devices(campaign, trials, ranking);
  if (fleet.spread == Spread::replicate) {
    rank_chips(campaign, trials, ranking);
    note_disagreements(campaign, ranking);
  }
  return ranking;
}

}  // namespace mstune::coordinator
