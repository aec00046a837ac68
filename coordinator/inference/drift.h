// Drift: does the baseline get slower or faster while the campaign runs?
#pragma once

#include <optional>
#include <span>

namespace mstune {

struct TimedCost {
  double time_s = 0.0;    // start of the run, from any origin
  double log_cost = 0.0;  // natural logarithm of the run's median step cost
};

struct Drift {
  double slope_per_s = 0.0;  // of the log cost
  double deviation = 0.0;    // standard error of the slope
  double log_change = 0.0;   // slope times the time between the first and the last run
  double p_value = 1.0;      // of no drift, two-sided, Student's t with n - 2 degrees
};

inline constexpr double kDriftSignificance = 0.05;

// Least-squares line through the baseline's runs. Nothing for fewer than four runs, whose line
// fits nearly anything, or when they all have the same time.
// Source: simple linear regression, N. R. Draper, H. Smith, Applied Regression Analysis (1966), 1.
std::optional<Drift> baseline_drift(std::span<const TimedCost> runs);

}  // namespace mstune
