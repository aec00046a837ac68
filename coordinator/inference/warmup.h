// Steps of one run: where its warm-up ends, and how much its steps are worth as evidence.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace mstune {

struct SettlingRule {
  std::size_t window = 10;                 // steps
  double coefficient_of_variation = 0.02;  // of a settled window, at most
  double largest_share = 0.5;              // of the steps, that may be dropped
};

// --drop-first auto: the number of steps before the first window whose coefficient of variation
// (standard deviation with n - 1, over the mean) is below the rule's. Nothing when no such window
// starts within the share that may be dropped: the run never settled, or is too short or too noisy
// to tell, and the caller falls back to its fixed number. Costs are positive, in any unit.
// Source: A. Georges, D. Buytaert, L. Eeckhout, OOPSLA 2007, section 3.3.
std::optional<std::size_t> steps_before_settling(std::span<const double> costs,
                                                 const SettlingRule& rule = {});

// r1 = sum (x_i - m)(x_{i+1} - m) / sum (x_i - m)^2, in [-1, 1]; 0 for fewer than three steps and
// for steps that are all the same.
// Source: G. E. P. Box, G. M. Jenkins, Time Series Analysis (1970), 2.1.5.
double lag1_correlation(std::span<const double> values);

// n (1 - r1) / (1 + r1): as many independent steps would say as much about the mean. Negative
// correlation is taken as none. At most n.
// Source: first-order autoregression, H. J. Thiebaux, F. W. Zwiers, J. Climate Appl. Meteor. 23
// (1984) 800-811.
double effective_sample_size(std::size_t steps, double lag1);

inline constexpr double kFewestEffectiveSteps = 10.0;  // below it the user is warned

}  // namespace mstune
