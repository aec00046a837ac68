#include "common/statistics.h"

#include <algorithm>
#include <cmath>

#include "common/integer.h"

namespace mstune {
namespace {

__extension__ using Sum = unsigned __int128;  // of 2^64 costs of 64 bits each

// The relative deviation, in two passes: the differences from the mean are small where the costs
// are large, and what rounding took from the mean is given back at the end.
double variation(const std::vector<std::uint64_t>& costs_us, long double mean) {
  if (mean == 0.0L) {
    return 0.0;
  }
  long double squares = 0.0L;
  long double rest = 0.0L;
  for (const std::uint64_t cost : costs_us) {
    const long double difference = static_cast<long double>(cost) - mean;
    squares += difference * difference;
    rest += difference;
  }
  const auto count = static_cast<long double>(costs_us.size());
  const long double variance = std::max(0.0L, (squares - rest * rest / count) / count);
  return static_cast<double>(std::sqrt(variance) / mean);
}

}  // namespace

CostFigures figures_of(std::vector<std::uint64_t>& costs_us) {
  const std::size_t count = costs_us.size();
  Sum sum = 0;
  for (const std::uint64_t cost : costs_us) {
    sum += cost;
  }
  const long double mean = static_cast<long double>(sum) / static_cast<long double>(count);
  const double cv = variation(costs_us, mean);

  const auto begin = costs_us.begin();
  const auto middle = begin + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(begin, middle, costs_us.end());
  Sum twice_median = Sum{*middle} * 2;
  if (count % 2 == 0) {
    twice_median = Sum{*middle} + *std::max_element(begin, middle);
  }
  // ceil(0.9 n), counted from 1; 0.9 itself is no double.
  const std::size_t rank = (count * 9 + 9) / 10;
  const auto ninetieth = begin + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(begin, ninetieth, costs_us.end());

  CostFigures figures;
  figures.count = count;
  figures.mean_us = static_cast<double>(mean);
  figures.median_us = static_cast<double>(static_cast<long double>(twice_median) / 2.0L);
  figures.p90_us = static_cast<double>(*ninetieth);
  figures.cv = cv;
  return figures;
}

}  // namespace mstune
