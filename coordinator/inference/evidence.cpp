#include "coordinator/inference/evidence.h"

#include <algorithm>
#include <cmath>

namespace mstune {
namespace {

constexpr std::size_t kMostRounds = 1000;

}  // namespace

Evidence evidence(const Interval& interval, double threshold) {
  const double bar = std::log(threshold);
  if (interval.low > bar) {
    return Evidence::proven;
  }
  if (interval.point >= bar && interval.low > 0.0) {
    return Evidence::likely;
  }
  if (interval.high < 0.0) {
    return Evidence::slower;
  }
  if (interval.low > -bar && interval.high < bar) {
    return Evidence::equivalent;
  }
  return Evidence::inconclusive;
}

std::string_view word(Evidence evidence) {
  switch (evidence) {
    case Evidence::proven:
      return "proven";
    case Evidence::likely:
      return "likely";
    case Evidence::slower:
      return "slower";
    case Evidence::equivalent:
      return "equivalent";
    case Evidence::inconclusive:
      break;
  }
  return "inconclusive";
}

Evidence lowered(Evidence evidence) {
  return evidence == Evidence::proven ? Evidence::likely : Evidence::inconclusive;
}

bool settled(const Interval& interval, double threshold) {
  const double bar = std::log(threshold);
  return interval.low > bar || interval.high < bar;
}

std::optional<std::size_t> rounds_to_settle(const Comparison& comparison, std::size_t candidates,
                                            CriticalPoints& points, double threshold) {
  const double distance = std::abs(comparison.log_speedup - std::log(threshold));
  const double deviation_of_one =
      comparison.deviation * std::sqrt(static_cast<double>(comparison.rounds));
  const auto rivals = static_cast<double>(candidates - 1);
  const auto settles = [&](std::size_t more) {
    const auto rounds = static_cast<double>(comparison.rounds + more);
    const double degrees = (rounds - 1.0) * std::min(rivals, kCommonWeight + 1.0);
    const double point = points.dunnett(kConfidence, {.count = candidates - 1, .degrees = degrees});
    return distance > point * deviation_of_one / std::sqrt(rounds);
  };
  if (!settles(kMostRounds)) {
    return std::nullopt;
  }
  // The half width only shrinks with the rounds, so the first number that settles can be bisected.
  std::size_t too_few = 0;
  std::size_t enough = kMostRounds;
  while (enough - too_few > 1) {
    const std::size_t middle = (too_few + enough) / 2;
    (settles(middle) ? enough : too_few) = middle;
  }
  return enough;
}

}  // namespace mstune
