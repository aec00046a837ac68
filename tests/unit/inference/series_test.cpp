#include <array>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "coordinator/inference/confirm.h"
#include "coordinator/inference/drift.h"
#include "coordinator/inference/warmup.h"

namespace mstune {

TEST_CASE("warm-up: the steps before the first calm window are dropped") {
  std::vector<double> costs{200, 150, 120, 110};
  for (int step = 0; step < 20; ++step) {
    costs.push_back(step % 2 == 0 ? 100.0 : 101.0);
  }
  CHECK(steps_before_settling(costs) == 4);
  costs.erase(costs.begin(), costs.begin() + 4);
  CHECK(steps_before_settling(costs) == 0);
}

TEST_CASE("warm-up: a window is calm below the limit and not at it") {
  // Nine values of 100 and one of 100 + d: coefficient of variation d / sqrt(10) / (100 + d / 10).
  std::vector<double> costs(10, 100.0);
  const double limit = 0.02 * 100.0 * std::sqrt(10.0) / (1.0 - 0.002 * std::sqrt(10.0));
  costs[4] = 100.0 + limit - 1e-6;
  CHECK(steps_before_settling(costs) == 0);
  costs[4] = 100.0 + limit + 1e-6;
  CHECK_FALSE(steps_before_settling(costs));
}

TEST_CASE("warm-up: a run that calms down only in its last half never settled") {
  std::vector<double> costs;
  for (int step = 0; step < 40; ++step) {
    costs.push_back(step >= 20 ? 100.0 : (step % 2 == 0 ? 200.0 : 150.0));
  }
  CHECK(steps_before_settling(costs) == 20);
  costs.insert(costs.begin(), 300.0);
  costs.insert(costs.begin(), 320.0);
  CHECK(costs.size() / 2 == 21);
  CHECK_FALSE(steps_before_settling(costs));
}

TEST_CASE("warm-up: a run shorter than a window cannot tell") {
  CHECK_FALSE(steps_before_settling(std::vector<double>(9, 100.0)));
  CHECK_FALSE(steps_before_settling({}));
}

TEST_CASE("correlation: lag 1 by hand, and nothing for constant or short series") {
  // 1 2 3 4 5: deviations -2 -1 0 1 2, products 2 + 0 + 0 + 2 = 4, squares 10.
  CHECK(lag1_correlation(std::array{1.0, 2.0, 3.0, 4.0, 5.0}) == doctest::Approx(0.4));
  CHECK(lag1_correlation(std::array{1.0, -1.0, 1.0, -1.0}) == doctest::Approx(-0.75));
  CHECK(lag1_correlation(std::array{3.0, 3.0, 3.0}) == 0.0);
  CHECK(lag1_correlation(std::array{1.0, 2.0}) == 0.0);
}

TEST_CASE("effective sample size: shrinks with correlation and never exceeds the steps") {
  CHECK(effective_sample_size(30, 0.5) == doctest::Approx(10.0));
  CHECK(effective_sample_size(30, 0.0) == doctest::Approx(30.0));
  CHECK(effective_sample_size(30, -0.4) == doctest::Approx(30.0));
  CHECK(effective_sample_size(30, 1.0) == doctest::Approx(0.0));
}

TEST_CASE("drift: the line is that of the published example") {
  // F. J. Anscombe, Am. Stat. 27 (1973) 17-21, first set: slope 0.5001, its standard error
  // 0.1179, t = 4.24, p = 0.00217.
  const std::vector<TimedCost> runs{{10, 8.04},  {8, 6.95},  {13, 7.58}, {9, 8.81},
                                    {11, 8.33},  {14, 9.96}, {6, 7.24},  {4, 4.26},
                                    {12, 10.84}, {7, 4.82},  {5, 5.68}};
  const auto drift = baseline_drift(runs);
  REQUIRE(drift);
  CHECK(std::abs(drift->slope_per_s - 0.5001) < 5e-5);
  CHECK(std::abs(drift->deviation - 0.1179) < 5e-5);
  CHECK(std::abs(drift->p_value - 0.00217) < 5e-6);
  CHECK(drift->log_change == doctest::Approx(10.0 * drift->slope_per_s));
}

TEST_CASE("drift: three runs or one moment show none") {
  CHECK_FALSE(baseline_drift(std::vector<TimedCost>{{0, 1}, {1, 2}, {2, 3}}));
  CHECK_FALSE(baseline_drift(std::vector<TimedCost>{{5, 1}, {5, 2}, {5, 3}, {5, 4}}));
}

TEST_CASE("drift: a perfect line is certain and a flat one is none") {
  CHECK(baseline_drift(std::vector<TimedCost>{{0, 0}, {1, 1}, {2, 2}, {3, 3}})->p_value == 0.0);
  CHECK(baseline_drift(std::vector<TimedCost>{{0, 1}, {1, 1}, {2, 1}, {3, 1}})->p_value == 1.0);
}

TEST_CASE("confirm: the interval is Student's over the rounds") {
  // The sleep data again, as the difference that each round shows: 0.7001 to 2.4599.
  std::vector<AbbaRound> rounds;
  for (const double gain : {1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4}) {
    rounds.push_back({gain + 0.5, gain - 0.5, 0.3, -0.3});
  }
  const auto interval = confirmation(rounds);
  REQUIRE(interval);
  CHECK(interval->point == doctest::Approx(1.58));
  CHECK(std::abs(interval->low - 0.7001) < 1e-4);
  CHECK(std::abs(interval->high - 2.4599) < 1e-4);
}

TEST_CASE("confirm: a steady drift of the box cancels within each round") {
  std::vector<AbbaRound> rounds;
  for (int round = 0; round < 3; ++round) {
    const double start = 0.4 * round;  // each of the four slots 0.1 slower than the one before
    rounds.push_back({start, start + 0.3, start + 0.1 - 0.08, start + 0.2 - 0.08});
  }
  const auto interval = confirmation(rounds);
  REQUIRE(interval);
  CHECK(interval->low == doctest::Approx(0.08));
  CHECK(interval->high == doctest::Approx(0.08));
}

TEST_CASE("confirm: one round has no interval") {
  CHECK_FALSE(confirmation(std::vector<AbbaRound>{{1.0, 1.0, 0.9, 0.9}}));
}

}  // namespace mstune
