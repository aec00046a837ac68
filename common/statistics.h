// Figures of a set of step costs, exact to the last digit of a double on ten million values.
#pragma once

#include <cstdint>
#include <vector>

namespace mstune {

struct CostFigures {
  std::uint64_t count = 0;
  double mean_us = 0.0;
  double median_us = 0.0;  // of an even count: the mean of the middle two
  double p90_us = 0.0;     // nearest rank: the smallest value that 90 % of all do not exceed
  double cv = 0.0;         // population deviation / mean; 0 when all costs are equal
};

// `costs_us` must not be empty; it is reordered.
CostFigures figures_of(std::vector<std::uint64_t>& costs_us);

}  // namespace mstune
