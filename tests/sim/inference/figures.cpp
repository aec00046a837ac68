#include "tests/sim/inference/figures.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "coordinator/inference/evidence.h"
#include "coordinator/inference/intervals.h"

namespace mstune::sim {
namespace {

constexpr std::size_t kPoolSize = 20000;

std::vector<double> median_pool(const Experiment& experiment) {
  Random random(experiment.seed);
  return median_errors(experiment.model, kPoolSize, random);
}

Box box_of_campaign(const Experiment& experiment, const std::vector<double>& pool,
                    std::size_t rounds, std::size_t campaign) {
  return {experiment.model, pool, rounds * experiment.truth.speedups.size(),
          experiment.seed + 1'000'003U * (campaign + 1)};
}

Layout run_rounds(Box box, const Truth& truth, std::size_t rounds, OrderKind order) {
  std::vector<std::size_t> participants(truth.speedups.size());
  std::iota(participants.begin(), participants.end(), std::size_t{0});
  std::vector<Observation> runs;
  for (std::size_t round = 0; round < rounds; ++round) {
    box.round(truth, participants, round, order, runs);
  }
  return {participants.size(), runs};
}

std::size_t best_of(const Truth& truth) {
  return static_cast<std::size_t>(std::max_element(truth.speedups.begin(), truth.speedups.end()) -
                                  truth.speedups.begin());
}

bool holds(const Interval& interval, double log_speedup) {
  return interval.low <= log_speedup && log_speedup <= interval.high;
}

bool contains(const std::vector<std::size_t>& set, std::size_t candidate) {
  return std::find(set.begin(), set.end(), candidate) != set.end();
}

bool all_hold(const std::vector<std::optional<Interval>>& intervals, const Truth& truth) {
  for (std::size_t candidate = 1; candidate < intervals.size(); ++candidate) {
    if (!intervals[candidate] ||
        !holds(*intervals[candidate], std::log(truth.speedups[candidate]))) {
      return false;
    }
  }
  return true;
}

bool any_falsely_proven(const std::vector<std::optional<Interval>>& intervals, const Truth& truth) {
  for (std::size_t candidate = 1; candidate < intervals.size(); ++candidate) {
    if (truth.speedups[candidate] < kWorthwhileSpeedup && intervals[candidate] &&
        evidence(*intervals[candidate]) == Evidence::proven) {
      return true;
    }
  }
  return false;
}

Interval interval_by(Method method, const Layout& layout, std::size_t candidate,
                     CriticalPoints& points) {
  const Spread spread = *layout.spread();
  const std::size_t rivals = layout.candidates() - 1;
  Comparison comparison = *compare(layout, spread, candidate, kBaseline);
  const auto rounds = static_cast<double>(comparison.rounds);
  if (method == Method::common_dunnett) {
    comparison.deviation = std::sqrt(2.0 * spread.variance / rounds);
    comparison.degrees = spread.degrees;
  } else if (method == Method::own_dunnett) {
    const Difference difference = layout.difference(candidate, kBaseline);
    comparison.deviation = std::sqrt(difference.squares / (rounds - 1.0) / rounds);
    comparison.degrees = rounds - 1.0;
  }
  const double tail = (1.0 - kConfidence) / (2.0 * static_cast<double>(rivals));
  const double point =
      method == Method::mixed_bonferroni
          ? points.student(tail, comparison.degrees)
          : points.dunnett(kConfidence, {.count = rivals, .degrees = comparison.degrees});
  const double half = point * comparison.deviation;
  return {comparison.log_speedup - half, comparison.log_speedup, comparison.log_speedup + half};
}

}  // namespace

FixedFigures measure_fixed(const Experiment& experiment, std::size_t rounds, OrderKind order,
                           CriticalPoints& points) {
  const std::vector<double> pool = median_pool(experiment);
  const auto share = 1.0 / static_cast<double>(experiment.campaigns);
  const Truth& truth = experiment.truth;
  FixedFigures figures;
  for (std::size_t campaign = 0; campaign < experiment.campaigns; ++campaign) {
    const Layout layout =
        run_rounds(box_of_campaign(experiment, pool, rounds, campaign), truth, rounds, order);
    const auto intervals = simultaneous_intervals(layout, points);
    const auto tied = tied_with_best(layout, points);
    figures.falsely_proven += any_falsely_proven(intervals, truth) ? share : 0.0;
    figures.covered += all_hold(intervals, truth) ? share : 0.0;
    figures.best_in_tie += contains(tied, best_of(truth)) ? share : 0.0;
    figures.tie_size += share * static_cast<double>(tied.size());
    for (std::size_t candidate = 1; candidate < intervals.size(); ++candidate) {
      figures.mean_width += share * (intervals[candidate]->high - intervals[candidate]->low) /
                            static_cast<double>(intervals.size() - 1);
    }
  }
  return figures;
}

SequentialFigures measure_until_proven(const Experiment& experiment, const SequentialRules& rules,
                                       CriticalPoints& points) {
  const std::vector<double> pool = median_pool(experiment);
  const auto share = 1.0 / static_cast<double>(experiment.campaigns);
  const Truth& truth = experiment.truth;
  const std::size_t best = best_of(truth);
  const Sequential fresh(truth.speedups.size(), rules);
  SequentialFigures figures;
  for (std::size_t campaign = 0; campaign < experiment.campaigns; ++campaign) {
    Box box = box_of_campaign(experiment, pool, rules.max_rounds, campaign);
    const SequentialOutcome outcome = run_until_proven(box, truth, fresh, points);
    std::vector<std::optional<Interval>> intervals;
    bool falsely = false;
    for (std::size_t candidate = 0; candidate < truth.speedups.size(); ++candidate) {
      const Progress& progress = outcome.progress[candidate];
      intervals.push_back(progress.interval);
      falsely = falsely || (progress.standing == Standing::proven &&
                            truth.speedups[candidate] < rules.threshold);
    }
    figures.falsely_proven += falsely ? share : 0.0;
    figures.covered += all_hold(intervals, truth) ? share : 0.0;
    figures.best_proven += outcome.progress[best].standing == Standing::proven ? share : 0.0;
    figures.best_in_tie += contains(outcome.tied, best) ? share : 0.0;
    figures.tie_size += share * static_cast<double>(outcome.tied.size());
    figures.trials += share * static_cast<double>(outcome.trials);
  }
  return figures;
}

double falsely_proven_in_stages(const Experiment& experiment, const SequentialRules& rules,
                                std::size_t stages, CriticalPoints& points) {
  const std::vector<double> pool = median_pool(experiment);
  const Truth& truth = experiment.truth;
  std::vector<Sequential> fresh;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    fresh.emplace_back(truth.speedups.size(), rules_of_stage(rules, stage));
  }
  std::size_t falsely = 0;
  for (std::size_t campaign = 0; campaign < experiment.campaigns; ++campaign) {
    Box box = box_of_campaign(experiment, pool, stages * rules.max_rounds, campaign);
    bool proven = false;
    for (const Sequential& stage : fresh) {
      const SequentialOutcome outcome = run_until_proven(box, truth, stage, points);
      for (std::size_t candidate = 1; candidate < truth.speedups.size(); ++candidate) {
        proven = proven || (outcome.progress[candidate].standing == Standing::proven &&
                            truth.speedups[candidate] < rules.threshold);
      }
    }
    falsely += proven ? 1 : 0;
  }
  return static_cast<double>(falsely) / static_cast<double>(experiment.campaigns);
}

MethodFigures measure_method(const Experiment& experiment, std::size_t rounds, Method method,
                             CriticalPoints& points) {
  const std::vector<double> pool = median_pool(experiment);
  const auto share = 1.0 / static_cast<double>(experiment.campaigns);
  MethodFigures figures;
  for (std::size_t campaign = 0; campaign < experiment.campaigns; ++campaign) {
    const Layout layout = run_rounds(box_of_campaign(experiment, pool, rounds, campaign),
                                     experiment.truth, rounds, OrderKind::random);
    bool covered = true;
    for (std::size_t candidate = 1; candidate < layout.candidates(); ++candidate) {
      const Interval interval = interval_by(method, layout, candidate, points);
      covered = covered && holds(interval, std::log(experiment.truth.speedups[candidate]));
      figures.mean_width +=
          share * (interval.high - interval.low) / static_cast<double>(layout.candidates() - 1);
    }
    figures.covered += covered ? share : 0.0;
  }
  return figures;
}

}  // namespace mstune::sim
