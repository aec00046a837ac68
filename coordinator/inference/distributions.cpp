#include "coordinator/inference/distributions.h"

#include <cmath>
#include <numbers>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace mstune {

double normal_upper_tail(double z) {
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

double normal_upper_point(double tail) {
  return boost::math::quantile(boost::math::complement(boost::math::normal(), tail));
}

double student_upper_tail(double t, double degrees) {
  return boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), t));
}

double student_upper_point(double tail, double degrees) {
  return boost::math::quantile(boost::math::complement(boost::math::students_t(degrees), tail));
}

double spread_ratio_density(double s, double degrees) {
  const double half = degrees / 2.0;
  // In logarithms, because the gamma function overflows from 342 degrees on.
  return std::exp(std::numbers::ln2 + half * std::log(half) - std::lgamma(half) +
                  (degrees - 1.0) * std::log(s) - half * s * s);
}

}  // namespace mstune
