// The statistics' promises on simulated boxes, fast enough for every test run. The seeds are fixed,
// so a figure changes only when the statistics do. Bounds leave about four standard errors of these
// few campaigns; tests/bench holds the figures to the requirements themselves.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <doctest/doctest.h>

#include "tests/sim/inference/figures.h"

namespace mstune::sim {
namespace {

constexpr std::uint64_t kSeed = 7;

double deviation_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0.0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  return std::sqrt(squares / (count - 1.0));
}

}  // namespace

TEST_CASE("noise model: the pool of medians has the spread of simulated steps") {
  // Median of n normal values with lag-1 correlation r: about 1.2533 sd sqrt(f / n), where f is
  // 1 + 2 sum asin(r^k) / asin(1) (arcsine law for the signs of a Gaussian process).
  for (const NoiseModel& model : noise_models()) {
    CAPTURE(model.name);
    Random random(kSeed);
    double inflation = 1.0;
    double power = model.lag1;
    for (int lag = 1; lag < 30; ++lag, power *= model.lag1) {
      inflation += 2.0 * std::asin(power) / std::asin(1.0);
    }
    const double expected =
        1.2533 * model.within * std::sqrt(inflation / static_cast<double>(kStepsPerRun));
    const double measured = deviation_of(median_errors(model, 4000, random));
    CHECK(measured == doctest::Approx(expected).epsilon(0.15));
  }
}

TEST_CASE("fixed rounds: equal candidates are not proven and their intervals hold") {
  CriticalPoints points;
  for (const NoiseModel& model : noise_models()) {
    for (const std::size_t rounds : {3U, 10U}) {
      CAPTURE(model.name);
      CAPTURE(rounds);
      const auto figures =
          measure_fixed({model, all_alike(1.0), 1000, kSeed}, rounds, OrderKind::random, points);
      CHECK(figures.falsely_proven <= 0.02);
      CHECK(figures.covered >= 0.92);
      CHECK(figures.covered <= 0.99);
    }
  }
}

TEST_CASE("fixed rounds: a fixed order makes a slow first slot a bias, a random one does not") {
  CriticalPoints points;
  const NoiseModel& slow_slot = noise_models()[5];
  const Experiment experiment{slow_slot, all_alike(1.0), 500, kSeed};
  CHECK(measure_fixed(experiment, 20, OrderKind::fixed, points).covered < 0.5);
  CHECK(measure_fixed(experiment, 20, OrderKind::random, points).covered > 0.92);
}

TEST_CASE("until proven: candidates that are 3 % faster are not proven to be 5 % faster") {
  CriticalPoints points;
  for (const NoiseModel& model : noise_models()) {
    CAPTURE(model.name);
    const auto figures =
        measure_until_proven({model, all_alike(1.03), 300, kSeed}, SequentialRules{}, points);
    CHECK(figures.falsely_proven <= 0.02);
    CHECK(figures.covered >= 0.91);
  }
}

TEST_CASE("until proven: refining in three more stages keeps the error rate") {
  CriticalPoints points;
  for (const auto index : {1U, 4U}) {
    const NoiseModel& model = noise_models()[index];
    CAPTURE(model.name);
    CHECK(falsely_proven_in_stages({model, all_alike(1.03), 150, kSeed}, SequentialRules{}, 4,
                                   points) <= 0.03);
  }
}

TEST_CASE("until proven: the best candidate is found, proven and paid for within the budget") {
  CriticalPoints points;
  for (const NoiseModel& model : noise_models()) {
    if (model.name == "shared") {
      continue;
    }
    CAPTURE(model.name);
    const bool noisy = model.name == "noisy";
    const auto figures =
        measure_until_proven({model, one_winner(), 300, kSeed}, SequentialRules{}, points);
    CHECK(figures.best_in_tie >= 0.98);
    CHECK(figures.tie_size <= 2.0);
    CHECK(figures.best_proven >= (noisy ? 0.72 : 0.95));
    CHECK(figures.trials < (noisy ? 15.0 : 10.0) * 7.0);
  }
}

TEST_CASE("until proven: dropping candidates costs fewer trials than running all to the end") {
  CriticalPoints points;
  const NoiseModel& typical = noise_models()[1];
  SequentialRules never_drop;
  never_drop.drop_error = 1e-12;
  const Experiment experiment{typical, one_winner(), 100, kSeed};
  const double with_drops = measure_until_proven(experiment, SequentialRules{}, points).trials;
  const double without = measure_until_proven(experiment, never_drop, points).trials;
  CHECK(with_drops < 0.7 * without);
}

}  // namespace mstune::sim
