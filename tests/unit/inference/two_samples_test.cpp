#include "coordinator/inference/two_samples.h"

#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace mstune {
namespace {

TEST_CASE("two samples: the interval is Welch's") {
  // By hand: means 2 and 1, variances of the mean 1/3 and 1/3, 4 degrees, t(0.975, 4) = 2.7764.
  const std::vector<double> before{1, 2, 3};
  const std::vector<double> after{0, 1, 2};
  const auto interval = welch_interval(before, after, 0.95);
  REQUIRE(interval.has_value());
  CHECK(interval->point == doctest::Approx(1.0));
  CHECK(interval->high == doctest::Approx(1.0 + 2.776445 * std::sqrt(2.0 / 3.0)));
  CHECK(interval->low == doctest::Approx(1.0 - 2.776445 * std::sqrt(2.0 / 3.0)));
}

TEST_CASE("two samples: without spread or with one run there is no interval") {
  const std::vector<double> one{1};
  const std::vector<double> two{1, 2};
  const std::vector<double> equal{3, 3};
  CHECK_FALSE(welch_interval(one, two, 0.95).has_value());
  CHECK_FALSE(welch_interval(two, one, 0.95).has_value());
  CHECK_FALSE(welch_interval(equal, equal, 0.95).has_value());
  CHECK(welch_interval(equal, two, 0.95).has_value());
}

TEST_CASE("two samples: 95 of 100 intervals hold the true ratio, with unequal spreads") {
  std::mt19937_64 random(7);
  std::normal_distribution<double> quiet(0.0, 0.01);
  std::normal_distribution<double> loud(0.1, 0.05);
  constexpr int kCampaigns = 4000;
  int held = 0;
  for (int campaign = 0; campaign < kCampaigns; ++campaign) {
    std::vector<double> before;
    std::vector<double> after;
    for (int run = 0; run < 5; ++run) {
      before.push_back(loud(random));
      after.push_back(quiet(random));
    }
    const auto interval = welch_interval(before, after, 0.95);
    held += interval->low <= 0.1 && 0.1 <= interval->high ? 1 : 0;
  }
  CHECK(held > 0.94 * kCampaigns);
  CHECK(held < 0.97 * kCampaigns);
}

TEST_CASE("two samples: levels of devices do not count as spread") {
  using Groups = std::vector<std::vector<double>>;
  const Groups before{{10, 12}, {100, 102}};
  const Groups after{{9, 11}, {98, 100}};
  const auto interval = welch_interval(before, after, 0.95);
  REQUIRE(interval.has_value());
  CHECK(interval->point == doctest::Approx(1.5));
  // Two degrees of freedom on each side, and a variance of 2 of each run.
  CHECK(interval->high == doctest::Approx(1.5 + 2.776445 * std::sqrt(1.0)));
  CHECK_FALSE(welch_interval(Groups{{1}, {2}}, after, 0.95).has_value());
  CHECK_FALSE(welch_interval(Groups{{1, 2}, {}}, after, 0.95).has_value());
  CHECK_FALSE(welch_interval(Groups{}, Groups{}, 0.95).has_value());
}

}  // namespace
}  // namespace mstune
