#include "coordinator/inference/intervals.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mstune {
namespace {

std::size_t comparable_with(const Layout& layout, std::size_t control) {
  std::size_t count = 0;
  for (std::size_t candidate = 0; candidate < layout.candidates(); ++candidate) {
    if (candidate != control && layout.difference(candidate, control).rounds > 0) {
      ++count;
    }
  }
  return count;
}

bool beaten(const Layout& layout, const Spread& spread, CriticalPoints& points,
            std::size_t candidate, double confidence) {
  const std::size_t rivals = comparable_with(layout, candidate);
  if (rivals == 0) {
    return false;
  }
  const double correlation = smallest_correlation(layout, candidate);
  for (std::size_t rival = 0; rival < layout.candidates(); ++rival) {
    const auto lead = rival == candidate ? std::nullopt : compare(layout, spread, rival, candidate);
    if (!lead) {
      continue;
    }
    const double point = points.dunnett(confidence, {.count = rivals,
                                                     .correlation = correlation,
                                                     .degrees = lead->degrees,
                                                     .sides = Sides::one});
    if (lead->log_speedup > point * lead->deviation) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<Comparison> compare(const Layout& layout, const Spread& spread, std::size_t candidate,
                                  std::size_t other) {
  const Difference difference = layout.difference(candidate, other);
  if (difference.rounds == 0) {
    return std::nullopt;
  }
  const auto rounds = static_cast<double>(difference.rounds);
  if (difference.rounds == 1) {  // a single difference shows no spread of its own
    return Comparison{difference.log_speedup, std::sqrt(2.0 * spread.variance), spread.degrees, 1};
  }
  const double own = difference.squares / (rounds - 1.0);
  const double variance = (kCommonWeight * 2.0 * spread.variance + own) / (kCommonWeight + 1.0);
  return Comparison{difference.log_speedup, std::sqrt(variance / rounds),
                    std::min((kCommonWeight + 1.0) * (rounds - 1.0), spread.degrees),
                    difference.rounds};
}

double smallest_correlation(const Layout& layout, std::size_t control) {
  double smallest = 0.5;
  for (std::size_t one = 0; one < layout.candidates(); ++one) {
    const auto own = static_cast<double>(layout.difference(one, control).rounds);
    for (std::size_t two = one + 1; two < layout.candidates(); ++two) {
      const auto others = static_cast<double>(layout.difference(two, control).rounds);
      if (one == control || two == control || own <= 0.0 || others <= 0.0) {
        continue;
      }
      const auto both = static_cast<double>(layout.common_rounds(std::array{control, one, two}));
      smallest = std::min(smallest, both / (2.0 * std::sqrt(own * others)));
    }
  }
  return smallest;
}

std::vector<std::optional<Interval>> simultaneous_intervals(const Layout& layout,
                                                            CriticalPoints& points,
                                                            double confidence) {
  std::vector<std::optional<Interval>> intervals(layout.candidates());
  const auto spread = layout.spread();
  const std::size_t count = comparable_with(layout, kBaseline);
  if (!spread || count == 0) {
    return intervals;
  }
  const double correlation = smallest_correlation(layout, kBaseline);
  for (std::size_t candidate = 0; candidate < layout.candidates(); ++candidate) {
    const auto found =
        candidate == kBaseline ? std::nullopt : compare(layout, *spread, candidate, kBaseline);
    if (found) {
      const double half = found->deviation * points.dunnett(confidence, {.count = count,
                                                                         .correlation = correlation,
                                                                         .degrees = found->degrees,
                                                                         .sides = Sides::two});
      intervals[candidate] =
          Interval{found->log_speedup - half, found->log_speedup, found->log_speedup + half};
    }
  }
  return intervals;
}

std::vector<std::size_t> tied_with_best(const Layout& layout, CriticalPoints& points,
                                        double confidence) {
  std::vector<std::size_t> tied;
  const auto spread = layout.spread();
  if (!spread) {
    return tied;
  }
  for (std::size_t candidate = 0; candidate < layout.candidates(); ++candidate) {
    if (layout.difference(candidate, candidate).rounds > 0 &&
        !beaten(layout, *spread, points, candidate, confidence)) {
      tied.push_back(candidate);
    }
  }
  return tied;
}

}  // namespace mstune
