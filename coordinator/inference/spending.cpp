#include "coordinator/inference/spending.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <boost/math/tools/roots.hpp>

#include "coordinator/inference/distributions.h"

namespace mstune {
namespace {

constexpr std::size_t kNodes = 401;  // odd, for Simpson's rule
constexpr double kLowestZ = -8.0;
constexpr double kLeastSpent = 1e-15;

// The density of the score B = Z sqrt(t) among the paths that have not crossed, on a grid.
struct Survivors {
  std::vector<double> scores;
  std::vector<double> masses;  // density times Simpson weight

  // P(not crossed so far, and the next score is at least `score`).
  [[nodiscard]] double reach(double score, double increment_deviation) const {
    double total = 0.0;
    for (std::size_t node = 0; node < scores.size(); ++node) {
      total += masses[node] * normal_upper_tail((score - scores[node]) / increment_deviation);
    }
    return total;
  }

  [[nodiscard]] double density(double score, double increment_deviation) const {
    const double scale = 1.0 / (increment_deviation * std::sqrt(2.0 * std::numbers::pi));
    double total = 0.0;
    for (std::size_t node = 0; node < scores.size(); ++node) {
      const double z = (score - scores[node]) / increment_deviation;
      total += masses[node] * std::exp(-0.5 * z * z);
    }
    return total * scale;
  }
};

Survivors advance(const Survivors& before, double increment_deviation, double low, double high) {
  Survivors after;
  const double step = (high - low) / static_cast<double>(kNodes - 1);
  for (std::size_t node = 0; node < kNodes; ++node) {
    const double score = low + step * static_cast<double>(node);
    const bool end = node == 0 || node + 1 == kNodes;
    const double weight = step / 3.0 * (end ? 1.0 : (node % 2 == 1 ? 4.0 : 2.0));
    after.scores.push_back(score);
    after.masses.push_back(weight * before.density(score, increment_deviation));
  }
  return after;
}

double boundary(const Survivors& before, double increment_deviation, double fraction,
                double spend) {
  if (spend < kLeastSpent) {
    return kNeverCrossed;
  }
  const double root = std::sqrt(fraction);
  const auto excess = [&](double z) { return before.reach(z * root, increment_deviation) - spend; };
  if (excess(kNeverCrossed) >= 0.0) {
    return kNeverCrossed;
  }
  std::uintmax_t steps = 100;
  const auto [from, to] = boost::math::tools::toms748_solve(
      excess, kLowestZ, kNeverCrossed, boost::math::tools::eps_tolerance<double>(40), steps);
  return 0.5 * (from + to);
}

}  // namespace

double spent_alpha(SpendingRule rule, double alpha, double fraction) {
  switch (rule) {
    case SpendingRule::obrien_fleming:
      return 2.0 * normal_upper_tail(normal_upper_point(alpha / 2.0) / std::sqrt(fraction));
    case SpendingRule::pocock:
      return alpha * std::log1p((std::numbers::e - 1.0) * fraction);
    case SpendingRule::quadratic:
      return alpha * fraction * fraction;
  }
  return alpha;
}

std::vector<double> spending_boundaries(SpendingRule rule, double alpha,
                                        std::span<const double> fractions) {
  std::vector<double> boundaries;
  Survivors survivors{{0.0}, {1.0}};  // the score starts at zero
  double spent = 0.0;
  double fraction_before = 0.0;
  for (const double fraction : fractions) {
    const double deviation = std::sqrt(fraction - fraction_before);
    const double allowed = spent_alpha(rule, alpha, fraction);
    const double z = boundary(survivors, deviation, fraction, allowed - spent);
    boundaries.push_back(z);
    const double root = std::sqrt(fraction);
    // What a look could not spend is left for the next one.
    spent += survivors.reach(z * root, deviation);
    survivors = advance(survivors, deviation, kLowestZ * root, z * root);
    fraction_before = fraction;
  }
  return boundaries;
}

}  // namespace mstune
