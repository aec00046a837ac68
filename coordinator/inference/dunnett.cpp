#include "coordinator/inference/dunnett.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/tools/roots.hpp>

#include "coordinator/inference/distributions.h"

namespace mstune {
namespace {

constexpr unsigned kPanelNodes = 30;
constexpr double kNormalReach = 8.0;  // the normal's mass beyond is below 1e-15

template <typename Function>
double integrate(const Function& function, double from, double to) {
  using Rule = boost::math::quadrature::gauss<double, kPanelNodes>;
  const double middle = 0.5 * (from + to);
  return Rule::integrate(function, from, middle) + Rule::integrate(function, middle, to);
}

double probability_at_known_spread(double point, const Comparisons& comparisons) {
  const double shared = std::sqrt(comparisons.correlation);
  const double own = std::sqrt(1.0 - comparisons.correlation);
  const auto count = static_cast<double>(comparisons.count);
  const auto integrand = [&](double z) {
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
    const double above = normal_upper_tail((point + shared * z) / own);
    const double below =
        comparisons.sides == Sides::two ? normal_upper_tail((point - shared * z) / own) : 0.0;
    return density * std::pow(std::max(0.0, 1.0 - above - below), count);
  };
  return integrate(integrand, -kNormalReach, kNormalReach);
}

}  // namespace

double dunnett_probability(double point, const Comparisons& comparisons) {
  if (std::isinf(comparisons.degrees)) {
    return probability_at_known_spread(point, comparisons);
  }
  const double degrees = comparisons.degrees;
  // The ratio's standard deviation is close to 1 / sqrt(2 degrees); ten of them on either side
  // hold all its mass, and its lower end is cut at zero.
  const double reach = 10.0 / std::sqrt(2.0 * degrees);
  const auto integrand = [&](double s) {
    return spread_ratio_density(s, degrees) * probability_at_known_spread(point * s, comparisons);
  };
  return integrate(integrand, std::max(0.0, 1.0 - reach), 1.0 + reach);
}

double dunnett_point(double confidence, const Comparisons& comparisons) {
  const auto distance = [&](double point) {
    return dunnett_probability(point, comparisons) - confidence;
  };
  // One comparison alone needs at least this much and Bonferroni is never too small.
  const double sides = comparisons.sides == Sides::two ? 2.0 : 1.0;
  const double tail = (1.0 - confidence) / sides;
  const auto single = [&](double share) {
    return std::isinf(comparisons.degrees) ? normal_upper_point(share)
                                           : student_upper_point(share, comparisons.degrees);
  };
  const double low = single(tail);
  if (comparisons.count == 1) {
    return low;
  }
  const double high = single(tail / static_cast<double>(comparisons.count));
  const double slack = 1e-3;
  std::uintmax_t steps = 100;
  const auto [from, to] =
      boost::math::tools::toms748_solve(distance, low * (1.0 - slack), high * (1.0 + slack),
                                        boost::math::tools::eps_tolerance<double>(30), steps);
  return 0.5 * (from + to);
}

}  // namespace mstune
