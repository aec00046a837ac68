#include "coordinator/inference/intervals.h"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

namespace mstune {
namespace {

// Candidates as columns, rounds as rows; NaN is a voided trial.
Layout table(const std::vector<std::vector<double>>& rows) {
  std::vector<Observation> runs;
  for (std::size_t round = 0; round < rows.size(); ++round) {
    for (std::size_t candidate = 0; candidate < rows[round].size(); ++candidate) {
      if (!std::isnan(rows[round][candidate])) {
        runs.push_back({candidate, round, rows[round][candidate]});
      }
    }
  }
  return {rows.front().size(), runs};
}

constexpr double kVoid = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("intervals: two candidates get the interval of the paired t test") {
  // A. R. Cushny, A. R. Peebles (1905), Student's sleep data: mean difference 1.58,
  // 95 % interval 0.7001 to 2.4599 with 9 degrees.
  const Layout layout = table({{1.9, 0.7},
                               {0.8, -1.6},
                               {1.1, -0.2},
                               {0.1, -1.2},
                               {-0.1, -0.1},
                               {4.4, 3.4},
                               {5.5, 3.7},
                               {1.6, 0.8},
                               {4.6, 0.0},
                               {3.4, 2.0}});
  CriticalPoints points;
  const auto intervals = simultaneous_intervals(layout, points);
  CHECK_FALSE(intervals.at(0));
  REQUIRE(intervals.at(1));
  CHECK(intervals[1]->point == doctest::Approx(1.58));
  CHECK(std::abs(intervals[1]->low - 0.7001) < 1e-4);
  CHECK(std::abs(intervals[1]->high - 2.4599) < 1e-4);
}

TEST_CASE("intervals: the variance is two thirds common and one third own") {
  const Layout layout = table({{1.0, 0.8, 0.9}, {1.2, 0.9, 1.2}, {1.1, 1.0, 1.0}, {1.3, 1.1, 1.3}});
  const Spread spread = *layout.spread();  // variance 1/225, 6 degrees
  const auto comparison = compare(layout, spread, 1, kBaseline);
  REQUIRE(comparison);
  const double own = 0.02 / 3.0;
  const double variance = 2.0 / 3.0 * (2.0 / 225.0) + own / 3.0;
  CHECK(comparison->deviation == doctest::Approx(std::sqrt(variance / 4.0)));
  CHECK(comparison->degrees == doctest::Approx(6.0));  // min(3 * 3, 6)
  // Dunnett's table: two comparisons, 6 degrees, two-sided 5 %: 2.86.
  CriticalPoints points;
  const auto intervals = simultaneous_intervals(layout, points);
  REQUIRE(intervals.at(1));
  CHECK((intervals[1]->high - intervals[1]->point) / comparison->deviation ==
        doctest::Approx(2.86).epsilon(0.002));
}

TEST_CASE("intervals: a single common round is judged by the common spread") {
  const Layout layout = table({{1.0, 0.8, 0.9}, {1.2, 0.9, kVoid}, {1.1, 1.0, kVoid}});
  const Spread spread = *layout.spread();
  const auto comparison = compare(layout, spread, 2, kBaseline);
  REQUIRE(comparison);
  CHECK(comparison->rounds == 1);
  CHECK(comparison->deviation == doctest::Approx(std::sqrt(2.0 * spread.variance)));
}

TEST_CASE("intervals: missing runs lower the correlation that is reckoned with") {
  CHECK(smallest_correlation(table({{1, 2, 3}, {1, 2, 3}}), kBaseline) == doctest::Approx(0.5));
  // Pairs with the baseline: rounds 0 1 2 and rounds 2 3; together only round 2.
  const Layout layout = table({{1, 2, kVoid}, {1, 2, kVoid}, {1, 2, 3}, {1, kVoid, 3}});
  CHECK(smallest_correlation(layout, kBaseline) == doctest::Approx(1.0 / (2.0 * std::sqrt(6.0))));
}

TEST_CASE("intervals: a candidate without a round beside the baseline has none") {
  const Layout layout = table({{1.0, 0.8, kVoid}, {1.2, 0.9, kVoid}, {1.1, 1.0, kVoid}});
  CriticalPoints points;
  const auto intervals = simultaneous_intervals(layout, points);
  CHECK(intervals.at(1));
  CHECK_FALSE(intervals.at(2));
  CHECK(tied_with_best(layout, points) == std::vector<std::size_t>{1});
}

TEST_CASE("intervals: nothing can be said after one round") {
  const Layout layout = table({{1.0, 0.8, 0.7}});
  CriticalPoints points;
  CHECK_FALSE(simultaneous_intervals(layout, points).at(1));
  CHECK(tied_with_best(layout, points).empty());
}

TEST_CASE("tie set: holds the best and what is within its noise, the baseline too") {
  CriticalPoints points;
  // 1 and 2 a hair apart, the baseline and 3 far behind.
  CHECK(tied_with_best(table({{1.00, 0.50, 0.51, 0.90},
                              {1.01, 0.52, 0.50, 0.91},
                              {0.99, 0.51, 0.51, 0.92},
                              {1.00, 0.50, 0.53, 0.90}}),
                       points) == std::vector<std::size_t>{1, 2});
  CHECK(tied_with_best(table({{1.00, 1.02}, {1.01, 0.99}, {0.99, 1.00}}), points) ==
        std::vector<std::size_t>{0, 1});
}

}  // namespace mstune
