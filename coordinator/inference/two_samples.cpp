#include "coordinator/inference/two_samples.h"

#include <algorithm>
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

// Each group weighs the same; they share one variance.
Sample sample_of(std::span<const std::vector<double>> groups) {
  Sample sample;
  double squares = 0.0;
  double inverse_counts = 0.0;
  for (const std::vector<double>& values : groups) {
    const auto count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    for (const double value : values) {
      squares += (value - mean) * (value - mean);
    }
    sample.mean += mean;
    sample.degrees += count - 1;
    inverse_counts += 1 / count;
  }
  const auto count = static_cast<double>(groups.size());
  sample.mean /= count;
  sample.variance_of_mean = squares / sample.degrees * inverse_counts / (count * count);
  return sample;
}

bool is_enough(std::span<const std::vector<double>> groups) {
  const auto has = [](std::size_t runs) {
    return [runs](const std::vector<double>& values) { return values.size() >= runs; };
  };
  return std::all_of(groups.begin(), groups.end(), has(1)) &&
         std::any_of(groups.begin(), groups.end(), has(2));
}

}  // namespace

std::optional<Interval> welch_interval(std::span<const double> log_costs_before,
                                       std::span<const double> log_costs_after, double confidence) {
  const std::vector<double> before(log_costs_before.begin(), log_costs_before.end());
  const std::vector<double> after(log_costs_after.begin(), log_costs_after.end());
  return welch_interval(std::span(&before, 1), std::span(&after, 1), confidence);
}

std::optional<Interval> welch_interval(std::span<const std::vector<double>> log_costs_before,
                                       std::span<const std::vector<double>> log_costs_after,
                                       double confidence) {
  if (!is_enough(log_costs_before) || !is_enough(log_costs_after)) {
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
