// The ratio of two costs that were measured in campaigns of their own, with its interval. Pure.
//
// Runs of different campaigns share no round, so nothing can be paired, and their spread need not
// be the same: another box, another CANN.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "coordinator/inference/intervals.h"

namespace mstune {

// How many times as fast `after` is as `before`, as a logarithm: the difference of the means of
// logarithms of costs, with Student's t on Welch's degrees of freedom. Nothing with fewer than two
// runs on a side, or when no run differs from another. 0 < confidence < 1.
// Source: B. L. Welch, Biometrika 34 (1947) 28-35.
std::optional<Interval> welch_interval(std::span<const double> log_costs_before,
                                       std::span<const double> log_costs_after, double confidence);

// The same for runs on several devices, [device][run], with the same devices on both sides, in the
// same order: each device weighs the same, and only the spread within a device counts. Nothing with
// a device that has no run, or where no device of a side has two.
std::optional<Interval> welch_interval(std::span<const std::vector<double>> log_costs_before,
                                       std::span<const std::vector<double>> log_costs_after,
                                       double confidence);

}  // namespace mstune
