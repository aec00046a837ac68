#include "coordinator/ranking.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "coordinator/inference/confirm.h"
#include "coordinator/inference/warmup.h"

namespace mstune::coordinator {
namespace {

Summary summarize(const std::vector<EvaluatedTrial>& trials, const Candidate& candidate) {
  Summary summary;
  summary.candidate = candidate;
  std::size_t steps = 0;
  for (const EvaluatedTrial& trial : trials) {
    if (trial.trial.candidate != candidate || trial.trial.purpose != Purpose::measure) {
      continue;
    }
    ++summary.trials;
    if (trial.evaluation.valid) {
      ++summary.valid_trials;
      steps += trial.evaluation.costs_us.size();
    }
    for (const Reason& reason : trial.evaluation.reasons) {
      summary.reasons.push_back(
          fmt::format("trial {}: {}", trial.trial.index, reason.sentence.text));
      auto& codes = summary.reason_codes;
      if (std::find(codes.begin(), codes.end(), reason.code) == codes.end()) {
        codes.push_back(reason.code);
      }
    }
  }
  summary.steps = steps;
  if (steps == 0) {
    return summary;
  }
  std::vector<std::uint64_t> pool;
  pool.reserve(steps);
  for (const EvaluatedTrial& trial : trials) {
    if (trial.trial.candidate == candidate && trial.trial.purpose == Purpose::measure &&
        trial.evaluation.valid) {
      const auto& costs = trial.evaluation.costs_us;
      pool.insert(pool.end(), costs.begin(), costs.end());
    }
  }
  summary.figures = figures_of(pool);
  return summary;
}

// Sets speedup and verdict. A median of 0 µs is below what the clock resolves: no ratio can be
// made of it, so it earns neither praise nor blame.
void compare(Summary& summary, const std::optional<CostFigures>& baseline) {
  if (!summary.figures) {
    summary.verdict = Verdict::invalid;
    return;
  }
  if (!baseline) {
    summary.verdict = Verdict::no_baseline;
    return;
  }
  summary.verdict = Verdict::neutral;
  if (summary.candidate == kDefaultCandidate) {
    summary.speedup = 1.0;
    return;
  }
  if (summary.figures->median_us == 0.0) {
    return;
  }
  summary.speedup = baseline->median_us / summary.figures->median_us;
  if (*summary.speedup >= kImprovementSpeedup) {
    summary.verdict = Verdict::improvement;
  } else if (*summary.speedup < kRegressionSpeedup) {
    summary.verdict = Verdict::regression;
  }
}

bool ranks_before(const Summary& left, const Summary& right) {
  if (left.figures.has_value() != right.figures.has_value()) {
    return left.figures.has_value();
  }
  if (left.figures && left.figures->median_us != right.figures->median_us) {
    return left.figures->median_us < right.figures->median_us;
  }
  return name(left.candidate) < name(right.candidate);
}

}  // namespace

std::string_view word(Verdict verdict) {
  switch (verdict) {
    case Verdict::improvement:
      return "improvement";
    case Verdict::neutral:
      return "neutral";
    case Verdict::regression:
      return "regression";
    case Verdict::no_baseline:
      return "no_baseline";
    case Verdict::invalid:
      break;
  }
  return "invalid";
}

bool Ranking::any_data() const {
  return std::any_of(summaries.begin(), summaries.end(),
                     [](const Summary& summary) { return summary.steps > 0; });
}

struct FreshRound {
  Candidate winner;
  std::vector<double> default_costs;  // logarithms of the medians
  std::vector<double> winner_costs;
};

std::map<int, FreshRound> fresh_rounds(const std::vector<EvaluatedTrial>& trials) {
  std::map<int, FreshRound> rounds;
  for (const EvaluatedTrial& trial : trials) {
    if (trial.trial.purpose != Purpose::confirm) {
      continue;
    }
    FreshRound& round = rounds[trial.trial.repeat];
    const bool is_default = trial.trial.candidate == kDefaultCandidate;
    round.winner = is_default ? round.winner : trial.trial.candidate;
    std::vector<std::uint64_t> pool = trial.evaluation.costs_us;
    const double median =
        !trial.evaluation.valid || pool.empty() ? 0.0 : figures_of(pool).median_us;
    if (median > 0.0) {
      (is_default ? round.default_costs : round.winner_costs).push_back(std::log(median));
    }
  }
  return rounds;
}

// Of the candidate that was confirmed last; rounds that lack a valid run are left out.
std::optional<Confirmation> confirmation_of(const std::vector<EvaluatedTrial>& trials) {
  const auto rounds = fresh_rounds(trials);
  if (rounds.empty()) {
    return std::nullopt;
  }
  const Candidate& confirmed = rounds.rbegin()->second.winner;
  std::vector<AbbaRound> complete;
  for (const auto& [number, round] : rounds) {
    const auto& [winner, base, gained] = round;
    if (winner == confirmed && base.size() == 2 && gained.size() == 2) {
      complete.push_back({base[0], base[1], gained[0], gained[1]});
    }
  }
  const auto interval = confirmation(complete);
  return interval ? std::optional<Confirmation>({confirmed, *interval, complete.size()})
                  : std::nullopt;
}

const CandidateConfidence* confidence_in(const Ranking& ranking, const Candidate& candidate) {
  const auto found = ranking.confidence.candidates.find(candidate);
  return found == ranking.confidence.candidates.end() ? nullptr : &found->second;
}

const Summary* summary_of(const Ranking& ranking, const Candidate& candidate) {
  const auto found =
      std::find_if(ranking.summaries.begin(), ranking.summaries.end(),
                   [&](const Summary& summary) { return summary.candidate == candidate; });
  return found == ranking.summaries.end() ? nullptr : &*found;
}

Candidate winner(const Ranking& ranking) {
  return ranking.confidence.proven != kDefaultCandidate ? ranking.confidence.proven
                                                        : ranking.recommended;
}

std::vector<RunFigure> run_figures(const std::vector<EvaluatedTrial>& trials) {
  std::vector<RunFigure> runs;
  for (const EvaluatedTrial& trial : trials) {
    const auto& costs = trial.evaluation.costs_us;
    if (!trial.evaluation.valid || costs.empty() || trial.trial.purpose == Purpose::confirm) {
      continue;
    }
    RunFigure run;
    run.candidate = trial.trial.candidate;
    run.control = trial.trial.purpose == Purpose::control;
    run.round = trial.trial.repeat;
    run.device = trial.trial.device.value_or(0);
    run.stage = trial.trial.stage;
    run.digest = trial.digest;
    std::vector<std::uint64_t> pool = costs;
    run.median_us = figures_of(pool).median_us;
    run.start_s = trial.evaluation.start_s;
    const std::vector<double> values(costs.begin(), costs.end());
    run.effective_steps = effective_sample_size(values.size(), lag1_correlation(values));
    runs.push_back(std::move(run));
  }
  return runs;
}

StageMembers stage_members(const std::vector<EvaluatedTrial>& trials,
                           const std::vector<Candidate>& candidates) {
  StageMembers members;
  for (const EvaluatedTrial& trial : trials) {
    if (trial.trial.purpose == Purpose::measure) {
      members.resize(std::max(members.size(), static_cast<std::size_t>(trial.trial.stage) + 1));
    }
  }
  for (std::size_t stage = 0; stage < members.size(); ++stage) {
    std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(members[stage]),
                 [&](const Candidate& candidate) {
                   return std::any_of(trials.begin(), trials.end(),
                                      [&](const EvaluatedTrial& trial) {
                                        return trial.trial.purpose == Purpose::measure &&
                                               trial.trial.stage == static_cast<int>(stage) &&
                                               trial.trial.candidate == candidate;
                                      });
                 });
  }
  return members;
}

Ranking rank(const std::vector<EvaluatedTrial>& trials, const std::vector<Candidate>& candidates,
             const ConfidenceRules& rules) {
  std::vector<Candidate> all;
  const auto list = [&all](const Candidate& candidate) {
    if (std::find(all.begin(), all.end(), candidate) == all.end()) {
      all.push_back(candidate);
    }
  };
  std::for_each(candidates.begin(), candidates.end(), list);
  for (const EvaluatedTrial& trial : trials) {
    list(trial.trial.candidate);
  }

  Ranking ranking;
  std::optional<CostFigures> baseline;
  for (const Candidate& candidate : all) {
    ranking.summaries.push_back(summarize(trials, candidate));
    if (candidate == kDefaultCandidate) {
      baseline = ranking.summaries.back().figures;
    }
  }
  for (Summary& summary : ranking.summaries) {
    compare(summary, baseline);
  }
  std::sort(ranking.summaries.begin(), ranking.summaries.end(), ranks_before);
  ranking.confidence =
      confidence_of(run_figures(trials), all, rules,
                    rules.until_proven ? stage_members(trials, all) : StageMembers());
  ranking.confidence.confirmation = confirmation_of(trials);
  // The first improvement is the one with the smallest median.
  const auto best =
      std::find_if(ranking.summaries.begin(), ranking.summaries.end(), [&](const Summary& summary) {
        return summary.verdict == Verdict::improvement &&
               !ranking.confidence.candidates[summary.candidate].result.vetoed;
      });
  if (best != ranking.summaries.end()) {
    ranking.recommended = best->candidate;
  }
  return ranking;
}

}  // namespace mstune::coordinator
