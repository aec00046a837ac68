#include "coordinator/inference/spending.h"

#include <array>
#include <cmath>

#include <doctest/doctest.h>

#include "coordinator/inference/distributions.h"
#include "tests/sim/inference/campaign_model.h"

namespace mstune {
namespace {

constexpr std::array<double, 5> kFifths{0.2, 0.4, 0.6, 0.8, 1.0};

void check_boundaries(SpendingRule rule, const std::array<double, 5>& expected) {
  const auto boundaries = spending_boundaries(rule, 0.025, kFifths);
  REQUIRE(boundaries.size() == expected.size());
  for (std::size_t look = 0; look < expected.size(); ++look) {
    CAPTURE(look);
    CHECK(std::abs(boundaries[look] - expected[look]) < 0.0006);
  }
}

}  // namespace

TEST_CASE("spending: O'Brien-Fleming boundaries of five looks are the published ones") {
  // Lan and DeMets' program (and R's ldbounds), two-sided 5 %.
  check_boundaries(SpendingRule::obrien_fleming, {4.8769, 3.3569, 2.6803, 2.2898, 2.0310});
}

TEST_CASE("spending: Pocock boundaries of five looks are the published ones") {
  check_boundaries(SpendingRule::pocock, {2.4380, 2.4268, 2.4101, 2.3966, 2.3859});
}

TEST_CASE("spending: one look at the end spends all as a fixed test does") {
  for (const auto rule :
       {SpendingRule::obrien_fleming, SpendingRule::pocock, SpendingRule::quadratic}) {
    const auto boundaries = spending_boundaries(rule, 0.025, std::array{1.0});
    CHECK(boundaries.at(0) == doctest::Approx(1.959964).epsilon(1e-6));
  }
}

TEST_CASE("spending: every rule has spent exactly alpha at the end and less before") {
  for (const auto rule :
       {SpendingRule::obrien_fleming, SpendingRule::pocock, SpendingRule::quadratic}) {
    CHECK(spent_alpha(rule, 0.01, 1.0) == doctest::Approx(0.01).epsilon(1e-9));
    CHECK(spent_alpha(rule, 0.01, 0.99) < 0.01);
    CHECK(spent_alpha(rule, 0.01, 0.1) < spent_alpha(rule, 0.01, 0.2));
  }
  CHECK(spent_alpha(SpendingRule::quadratic, 0.01, 0.5) == doctest::Approx(0.0025));
}

TEST_CASE("spending: random paths cross the boundaries as often as they may") {
  std::vector<double> fractions;
  for (int look = 3; look <= 20; ++look) {
    fractions.push_back(look / 20.0);
  }
  sim::Random random(3);
  for (const auto rule : {SpendingRule::obrien_fleming, SpendingRule::quadratic}) {
    const auto boundaries = spending_boundaries(rule, 0.05, fractions);
    constexpr int kPaths = 20000;
    int crossed = 0;
    for (int path = 0; path < kPaths; ++path) {
      double score = 0.0;
      double before = 0.0;
      bool crosses = false;
      for (std::size_t look = 0; look < fractions.size(); ++look) {
        score += random.normal() * std::sqrt(fractions[look] - before);
        before = fractions[look];
        crosses = crosses || score / std::sqrt(fractions[look]) >= boundaries[look];
      }
      crossed += crosses ? 1 : 0;
    }
    CHECK(crossed / static_cast<double>(kPaths) == doctest::Approx(0.05).epsilon(0.12));
  }
}

TEST_CASE("spending: a look that may spend next to nothing is never crossed") {
  const auto boundaries =
      spending_boundaries(SpendingRule::obrien_fleming, 0.004, std::array{0.05, 1.0});
  CHECK(boundaries.at(0) == kNeverCrossed);
  CHECK(boundaries.at(1) == doctest::Approx(normal_upper_point(0.004)).epsilon(1e-5));
}

}  // namespace mstune
