#include "coordinator/inference/evidence.h"

#include <array>
#include <cmath>

#include <doctest/doctest.h>

#include "coordinator/inference/aa_control.h"
#include "coordinator/inference/choice.h"

namespace mstune {
namespace {

Interval of_speedups(double low, double point, double high) {
  return {std::log(low), std::log(point), std::log(high)};
}

}  // namespace

TEST_CASE("evidence: each word begins and ends at its limit") {
  struct Case {
    Interval interval;
    Evidence expected;
  };
  const std::vector<Case> cases{
      {of_speedups(1.051, 1.10, 1.20), Evidence::proven},
      {of_speedups(1.05, 1.10, 1.20), Evidence::likely},
      {of_speedups(1.001, 1.0501, 1.20), Evidence::likely},
      {of_speedups(1.001, 1.0499, 1.20), Evidence::inconclusive},
      {of_speedups(1.0, 1.10, 1.20), Evidence::inconclusive},
      {of_speedups(0.90, 0.95, 0.999), Evidence::slower},
      {of_speedups(0.98, 0.99, 0.999), Evidence::slower},
      {of_speedups(0.98, 0.99, 1.0), Evidence::equivalent},
      {of_speedups(0.953, 1.0, 1.0499), Evidence::equivalent},
      {of_speedups(0.952, 1.0, 1.0499), Evidence::inconclusive},
      {of_speedups(0.953, 1.0, 1.05), Evidence::inconclusive},
      {of_speedups(1.01, 1.02, 1.04), Evidence::equivalent},
      {of_speedups(0.70, 0.85, 1.04), Evidence::inconclusive},
  };
  for (const Case& each : cases) {
    CAPTURE(std::exp(each.interval.low));
    CAPTURE(std::exp(each.interval.high));
    CHECK(word(evidence(each.interval)) == word(each.expected));
  }
}

TEST_CASE("evidence: an interval is settled when it lies on one side of 5 %") {
  CHECK(settled(of_speedups(1.051, 1.1, 1.2)));
  CHECK(settled(of_speedups(0.7, 0.9, 1.049)));
  CHECK_FALSE(settled(of_speedups(1.05, 1.1, 1.2)));
  CHECK_FALSE(settled(of_speedups(0.9, 1.0, 1.05)));
}

TEST_CASE("evidence: the rounds to settle are the first that clear the threshold") {
  CriticalPoints points;
  const Comparison comparison{std::log(1.08), 0.012, 24.0, 5};
  const auto more = rounds_to_settle(comparison, 7, points);
  REQUIRE(more);
  const double distance = std::log(1.08) - std::log(1.05);
  const auto half_width = [&](std::size_t rounds) {
    const auto n = static_cast<double>(rounds);
    return dunnett_point(0.95, {.count = 6, .degrees = 3.0 * (n - 1.0)}) * 0.012 *
           std::sqrt(5.0 / n);
  };
  CHECK(half_width(5 + *more) < distance);
  CHECK(half_width(5 + *more - 1) >= distance);
}

TEST_CASE("evidence: a speedup of exactly 5 % is never settled") {
  CriticalPoints points;
  CHECK_FALSE(rounds_to_settle({std::log(1.05), 0.01, 24.0, 5}, 7, points));
  CHECK_FALSE(rounds_to_settle({std::log(1.0501), 0.02, 24.0, 5}, 7, points));
}

TEST_CASE("A/A control: two runs of default that differ lower every word") {
  std::array words{Evidence::proven, Evidence::likely, Evidence::equivalent, Evidence::slower};
  apply_control(of_speedups(0.97, 1.0, 1.03), words);
  CHECK(words[0] == Evidence::proven);
  apply_control(of_speedups(1.001, 1.02, 1.04), words);
  CHECK(words[0] == Evidence::likely);
  CHECK(words[1] == Evidence::inconclusive);
  CHECK(words[2] == Evidence::inconclusive);
  CHECK(words[3] == Evidence::inconclusive);
}

TEST_CASE("A/A control: holds on both sides up to a speedup of exactly 1") {
  CHECK(control_holds({0.0, 0.01, 0.02}));
  CHECK(control_holds({-0.02, -0.01, 0.0}));
  CHECK_FALSE(control_holds({1e-9, 0.01, 0.02}));
  CHECK_FALSE(control_holds({-0.02, -0.01, -1e-9}));
}

TEST_CASE("choice: within a tie the fewest streams are preferred") {
  const Contender eight{1, {Strategy::load_balance, 8}, 0.12, Evidence::proven};
  const Contender four{2, {Strategy::main_stream, 4}, 0.10, Evidence::proven};
  const Contender four_faster{3, {Strategy::load_balance, 4}, 0.11, Evidence::proven};
  const Contender cv{4, {Strategy::cv, 0}, 0.15, Evidence::proven};
  const Contender baseline{0, kDefaultCandidate, 0.0, Evidence::equivalent};
  CHECK(preferred_of(std::array{eight, four, four_faster, cv})->index == 3);
  CHECK(preferred_of(std::array{cv, eight})->index == 1);
  CHECK(preferred_of(std::array{eight, baseline})->index == 0);
  CHECK(preferred_of({}) == nullptr);
}

TEST_CASE("choice: what the evidence supports is proven, not vetoed, and tied if it can be") {
  std::vector<Contender> all{{0, kDefaultCandidate, 0.0, Evidence::equivalent},
                             {1, {Strategy::load_balance, 8}, 0.12, Evidence::proven},
                             {2, {Strategy::load_balance, 4}, 0.11, Evidence::proven},
                             {3, {Strategy::load_balance, 2}, 0.06, Evidence::likely}};
  const std::vector<std::size_t> tied{1, 2, 3};
  CHECK(supported(all, tied)->index == 2);
  all[2].vetoed = true;
  CHECK(supported(all, tied)->index == 1);
  all[2].vetoed = false;
  CHECK(supported(all, std::vector<std::size_t>{3})->index == 1);
  all[1].evidence = Evidence::likely;
  all[2].evidence = Evidence::likely;
  CHECK(supported(all, tied) == nullptr);
}

}  // namespace mstune
