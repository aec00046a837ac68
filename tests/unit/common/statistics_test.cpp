#include "common/statistics.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

namespace mstune {
namespace {

CostFigures figures(std::vector<std::uint64_t> costs_us) {
  return figures_of(costs_us);
}

TEST_CASE("statistics: the median of an even count is the mean of the middle two") {
  CHECK(figures({7}).median_us == 7.0);
  CHECK(figures({9, 1}).median_us == 5.0);
  CHECK(figures({4, 1, 9}).median_us == 4.0);
  CHECK(figures({10, 1, 4, 5}).median_us == 4.5);
}

TEST_CASE("statistics: P90 is the value of the nearest rank") {
  const auto p90_of_first = [](std::uint64_t count) {
    std::vector<std::uint64_t> costs;
    for (std::uint64_t cost = count; cost >= 1; --cost) {
      costs.push_back(cost);
    }
    return figures(costs).p90_us;
  };
  CHECK(p90_of_first(1) == 1.0);
  CHECK(p90_of_first(9) == 9.0);
  CHECK(p90_of_first(10) == 9.0);
  CHECK(p90_of_first(11) == 10.0);
  CHECK(p90_of_first(20) == 18.0);
  CHECK(p90_of_first(21) == 19.0);
}

TEST_CASE("statistics: the CV uses the deviation of the population") {
  CHECK(figures({2, 4, 4, 4, 5, 5, 7, 9}).cv == doctest::Approx(0.4).epsilon(1e-15));
  CHECK(figures({7}).cv == 0.0);
  CHECK(figures({3, 3, 3}).cv == 0.0);
  CHECK(figures({0, 0}).cv == 0.0);
  CHECK(figures({0, 0}).mean_us == 0.0);
}

TEST_CASE("statistics: the largest costs neither wrap nor become infinite") {
  const CostFigures result = figures({UINT64_MAX, UINT64_MAX, UINT64_MAX});
  CHECK(result.mean_us == std::pow(2.0, 64));
  CHECK(result.median_us == std::pow(2.0, 64));
  CHECK(result.cv == 0.0);
}

TEST_CASE("statistics: ten million large costs with a small spread keep every digit") {
  // The mean is far larger than the deviation: a sum of squares in doubles would lose it.
  constexpr std::uint64_t kBase = 1'000'000'000'000;
  std::vector<std::uint64_t> costs;
  costs.reserve(10'000'000);
  for (int pair = 0; pair < 5'000'000; ++pair) {
    costs.push_back(kBase + 1);
    costs.push_back(kBase + 3);
  }
  const CostFigures result = figures_of(costs);
  CHECK(result.count == 10'000'000);
  CHECK(result.mean_us == 1'000'000'000'002.0);
  CHECK(result.median_us == 1'000'000'000'002.0);
  CHECK(result.p90_us == 1'000'000'000'003.0);
  CHECK(result.cv == doctest::Approx(1.0 / 1'000'000'000'002.0).epsilon(1e-12));
}

}  // namespace
}  // namespace mstune
