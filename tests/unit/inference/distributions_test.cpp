#include "coordinator/inference/distributions.h"

#include <cmath>
#include <initializer_list>
#include <numbers>

#include <doctest/doctest.h>

namespace mstune {

TEST_CASE("distributions: normal points are the tabled ones") {
  CHECK(normal_upper_point(0.025) == doctest::Approx(1.959963985).epsilon(1e-9));
  CHECK(normal_upper_point(0.005) == doctest::Approx(2.575829304).epsilon(1e-9));
  CHECK(normal_upper_tail(0.0) == doctest::Approx(0.5));
  CHECK(normal_upper_tail(1.0) == doctest::Approx(0.158655254).epsilon(1e-8));
}

TEST_CASE("distributions: far tails keep their digits") {
  CHECK(normal_upper_tail(8.0) == doctest::Approx(6.220960574e-16).epsilon(1e-9));
  CHECK(normal_upper_point(normal_upper_tail(8.0)) == doctest::Approx(8.0).epsilon(1e-9));
  CHECK(student_upper_tail(student_upper_point(1e-13, 12), 12) ==
        doctest::Approx(1e-13).epsilon(1e-6));
}

TEST_CASE("distributions: Student points are the tabled ones") {
  CHECK(student_upper_point(0.025, 1) == doctest::Approx(12.7062047).epsilon(1e-8));
  CHECK(student_upper_point(0.025, 2) == doctest::Approx(4.3026527).epsilon(1e-7));
  CHECK(student_upper_point(0.025, 12) == doctest::Approx(2.1788128).epsilon(1e-7));
  CHECK(student_upper_point(0.05, 30) == doctest::Approx(1.6972609).epsilon(1e-7));
  // One degree is the Cauchy distribution.
  CHECK(student_upper_tail(3.0, 1) ==
        doctest::Approx(0.5 - std::atan(3.0) / std::numbers::pi).epsilon(1e-12));
}

TEST_CASE("distributions: the spread ratio has the moments of a scaled chi") {
  for (const double degrees : {1.0, 4.0, 57.0, 900.0}) {
    CAPTURE(degrees);
    double mass = 0.0;
    double second = 0.0;
    const double step = 1e-4;
    for (double s = 0.5 * step; s < 8.0; s += step) {
      mass += step * spread_ratio_density(s, degrees);
      second += step * s * s * spread_ratio_density(s, degrees);
    }
    CHECK(mass == doctest::Approx(1.0).epsilon(1e-6));
    CHECK(second == doctest::Approx(1.0).epsilon(1e-6));
  }
}

}  // namespace mstune
