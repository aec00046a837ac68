#include "coordinator/inference/layout.h"

#include <array>
#include <cmath>

#include <doctest/doctest.h>

namespace mstune {
namespace {

// Three candidates in four rounds; the row is the round.
const std::vector<Observation> kBalanced{
    {0, 0, 1.0}, {1, 0, 0.8}, {2, 0, 0.9}, {0, 1, 1.2}, {1, 1, 0.9}, {2, 1, 1.2},
    {0, 2, 1.1}, {1, 2, 1.0}, {2, 2, 1.0}, {0, 3, 1.3}, {1, 3, 1.1}, {2, 3, 1.3},
};

std::vector<Observation> without(std::vector<Observation> runs,
                                 std::initializer_list<std::array<std::size_t, 2>> cells) {
  for (const auto& [candidate, round] : cells) {
    std::erase_if(runs, [&, candidate = candidate, round = round](const Observation& run) {
      return run.candidate == candidate && run.round == round;
    });
  }
  return runs;
}

}  // namespace

TEST_CASE("layout: a difference is the mean within rounds, positive for the faster") {
  const Layout layout(3, kBalanced);
  const Difference difference = layout.difference(1, kBaseline);
  CHECK(difference.rounds == 4);
  CHECK(difference.log_speedup == doctest::Approx(0.2));
  // Differences 0.2, 0.3, 0.1, 0.2 about 0.2.
  CHECK(difference.squares == doctest::Approx(0.02));
  CHECK(layout.difference(kBaseline, 1).log_speedup == doctest::Approx(-0.2));
}

TEST_CASE("layout: a complete table has the residual variance of the two-way layout") {
  // Residuals y_ij - y_i. - y_.j + y_.. by hand: candidate means 1.15, 0.95, 1.1, round means
  // 0.9, 1.1, 31/30, 37/30, grand mean 16/15. Their squares add up to 2/75.
  const auto spread = Layout(3, kBalanced).spread();
  REQUIRE(spread);
  CHECK(spread->degrees == doctest::Approx(6.0));
  CHECK(spread->variance == doctest::Approx(2.0 / 75.0 / 6.0));
}

TEST_CASE("layout: a missing cell costs one degree and is fitted exactly") {
  // Yates: with one missing cell the residual sum of squares is the least that any value put into
  // the cell can give, so it must be found by trying values.
  const auto voided = without(kBalanced, {{2, 1}});
  const auto spread = Layout(3, voided).spread();
  REQUIRE(spread);
  CHECK(spread->degrees == doctest::Approx(5.0));
  double least = 1e9;
  for (double value = 0.5; value < 1.5; value += 1e-4) {
    auto filled = voided;
    filled.push_back({2, 1, value});
    const auto complete = Layout(3, filled).spread();
    REQUIRE(complete);
    least = std::min(least, complete->variance * complete->degrees);
  }
  CHECK(spread->variance * spread->degrees == doctest::Approx(least).epsilon(1e-5));
}

TEST_CASE("layout: additive data leave no residual, however many cells are missing") {
  std::vector<Observation> runs;
  for (std::size_t round = 0; round < 6; ++round) {
    for (std::size_t candidate = 0; candidate < 4; ++candidate) {
      if ((round + candidate) % 4 != 3) {
        runs.push_back({candidate, round,
                        0.1 * static_cast<double>(candidate) + 0.7 * static_cast<double>(round)});
      }
    }
  }
  const auto spread = Layout(4, runs).spread();
  REQUIRE(spread);
  CHECK(spread->variance < 1e-15);
  CHECK(spread->degrees == doctest::Approx(static_cast<double>(runs.size()) - 4 - 6 + 1));
}

TEST_CASE("layout: candidates that never met count as separate tables") {
  // 0 and 1 in rounds 0 and 1, 2 and 3 in rounds 2 and 3: one degree in each half.
  const std::vector<Observation> runs{{0, 0, 1.0}, {1, 0, 0.5}, {0, 1, 1.0}, {1, 1, 0.7},
                                      {2, 2, 3.0}, {3, 2, 2.0}, {2, 3, 3.0}, {3, 3, 2.4}};
  const auto spread = Layout(4, runs).spread();
  REQUIRE(spread);
  CHECK(spread->degrees == doctest::Approx(2.0));
  // A 2 x 2 table with interaction d has residual sum of squares d^2 / 4.
  CHECK(spread->variance * 2.0 == doctest::Approx(0.25 * (0.04 + 0.16)));
}

TEST_CASE("layout: one round, one candidate or no run leave no spread") {
  CHECK_FALSE(Layout(2, std::vector<Observation>{}).spread());
  CHECK_FALSE(Layout(2, std::vector<Observation>{{0, 0, 1.0}, {1, 0, 2.0}}).spread());
  CHECK_FALSE(Layout(1, std::vector<Observation>{{0, 0, 1.0}, {0, 1, 2.0}}).spread());
}

TEST_CASE("layout: only rounds with both candidates count for their difference") {
  const Layout layout(3, without(kBalanced, {{1, 0}, {0, 3}}));
  const Difference difference = layout.difference(1, kBaseline);
  CHECK(difference.rounds == 2);
  CHECK(difference.log_speedup == doctest::Approx(0.2));  // of 0.3 and 0.1
  CHECK(layout.common_rounds(std::array<std::size_t, 3>{0, 1, 2}) == 2);
  CHECK(layout.common_rounds(std::array<std::size_t, 2>{0, 2}) == 3);
}

TEST_CASE("layout: the last observation of a cell counts") {
  auto runs = kBalanced;
  runs.push_back({1, 0, 0.4});
  CHECK(Layout(3, runs).log_cost(1, 0) == 0.4);
}

}  // namespace mstune
