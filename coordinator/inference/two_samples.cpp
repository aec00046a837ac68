#include "coordinator/inference/two_samples.h"

#include <cmath>
#include <numeric>

#include "coordinator/inference/distributions.h"

namespace mstune {
namespace {

struct Sample {
  double mean = 0.0;
  double variance_of_mean = 0.0;
  double degrees = 0.0;
};

Sample sample_of(std::span<const double> values) {
  Sample sample;
  const auto count = static_cast<double>(values.size());
  sample.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0.0;
  for (const double value : values) {
    squares += (value - sample.mean) * (value - sample.mean);
  }
  sample.degrees = count - 1;
  sample.variance_of_mean = squares / sample.degrees / count;
  return sample;
}

}  // namespace

std::optional<Interval> welch_interval(std::span<const double> log_costs_before,
                                       std::span<const double> log_costs_after, double confidence) {
  if (log_costs_before.size() < 2 || log_costs_after.size() < 2) {
    return std::nullopt;
  }
  const Sample before = sample_of(log_costs_before);
  const Sample after = sample_of(log_costs_after);
  const double variance = before.variance_of_mean + after.variance_of_mean;
  if (!(variance > 0.0)) {
    return std::nullopt;
  }
  const double degrees = variance * variance /
                         (before.variance_of_mean * before.variance_of_mean / before.degrees +
                          after.variance_of_mean * after.variance_of_mean / after.degrees);
  const double point = before.mean - after.mean;
  const double half = student_upper_point((1 - confidence) / 2, degrees) * std::sqrt(variance);
  return Interval{point - half, point, point + half};
}

}  // namespace mstune
