#include "coordinator/inference/drift.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "coordinator/inference/distributions.h"

namespace mstune {

std::optional<Drift> baseline_drift(std::span<const TimedCost> runs) {
  constexpr std::size_t kFewestRuns = 4;
  if (runs.size() < kFewestRuns) {
    return std::nullopt;
  }
  const auto count = static_cast<double>(runs.size());
  double mean_time = 0.0;
  double mean_cost = 0.0;
  for (const TimedCost& run : runs) {
    mean_time += run.time_s / count;
    mean_cost += run.log_cost / count;
  }
  double time_squares = 0.0;
  double products = 0.0;
  for (const TimedCost& run : runs) {
    time_squares += (run.time_s - mean_time) * (run.time_s - mean_time);
    products += (run.time_s - mean_time) * (run.log_cost - mean_cost);
  }
  if (time_squares <= 0.0) {
    return std::nullopt;
  }
  Drift drift;
  drift.slope_per_s = products / time_squares;
  double residual_squares = 0.0;
  for (const TimedCost& run : runs) {
    const double residual = run.log_cost - mean_cost - drift.slope_per_s * (run.time_s - mean_time);
    residual_squares += residual * residual;
  }
  const double degrees = count - 2.0;
  drift.deviation = std::sqrt(residual_squares / degrees / time_squares);
  const auto [first, last] = std::minmax_element(
      runs.begin(), runs.end(),
      [](const TimedCost& one, const TimedCost& two) { return one.time_s < two.time_s; });
  drift.log_change = drift.slope_per_s * (last->time_s - first->time_s);
  if (drift.deviation > 0.0) {
    drift.p_value =
        2.0 * student_upper_tail(std::abs(drift.slope_per_s) / drift.deviation, degrees);
  } else {
    drift.p_value = drift.slope_per_s == 0.0 ? 1.0 : 0.0;
  }
  return drift;
}

}  // namespace mstune
