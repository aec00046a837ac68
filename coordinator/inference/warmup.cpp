#include "coordinator/inference/warmup.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mstune {
namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double coefficient_of_variation(std::span<const double> values) {
  const double mean = mean_of(values);
  double squares = 0.0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  return std::sqrt(squares / static_cast<double>(values.size() - 1)) / mean;
}

}  // namespace

std::optional<std::size_t> steps_before_settling(std::span<const double> costs,
                                                 const SettlingRule& rule) {
  const auto largest =
      static_cast<std::size_t>(rule.largest_share * static_cast<double>(costs.size()));
  for (std::size_t start = 0; start <= largest && start + rule.window <= costs.size(); ++start) {
    if (coefficient_of_variation(costs.subspan(start, rule.window)) <
        rule.coefficient_of_variation) {
      return start;
    }
  }
  return std::nullopt;
}

double lag1_correlation(std::span<const double> values) {
  if (values.size() < 3) {
    return 0.0;
  }
  const double mean = mean_of(values);
  double squares = 0.0;
  double products = 0.0;
  for (std::size_t step = 0; step < values.size(); ++step) {
    const double deviation = values[step] - mean;
    squares += deviation * deviation;
    if (step + 1 < values.size()) {
      products += deviation * (values[step + 1] - mean);
    }
  }
  return squares > 0.0 ? products / squares : 0.0;
}

double effective_sample_size(std::size_t steps, double lag1) {
  const double correlation = std::max(0.0, lag1);
  return static_cast<double>(steps) * (1.0 - correlation) / (1.0 + correlation);
}

}  // namespace mstune
