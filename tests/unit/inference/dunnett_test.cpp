#include "coordinator/inference/dunnett.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <doctest/doctest.h>

#include "coordinator/inference/critical_points.h"
#include "coordinator/inference/distributions.h"

namespace mstune {
namespace {

constexpr double kKnownSpread = std::numeric_limits<double>::infinity();

struct Row {
  double degrees;
  std::array<double, 9> points;  // for 1 to 9 comparisons
};

}  // namespace

TEST_CASE("dunnett: two-sided 5 % points are those of the published table") {
  // C. W. Dunnett, Biometrics 20 (1964) 482-491, table of two-sided comparisons, 95 %.
  constexpr std::array<Row, 5> kTable{{
      {5, {2.57, 3.03, 3.29, 3.48, 3.62, 3.73, 3.82, 3.90, 3.97}},
      {10, {2.23, 2.57, 2.76, 2.89, 2.99, 3.07, 3.14, 3.19, 3.24}},
      {20, {2.09, 2.38, 2.54, 2.65, 2.73, 2.80, 2.86, 2.90, 2.95}},
      {60, {2.00, 2.27, 2.41, 2.51, 2.58, 2.64, 2.69, 2.73, 2.77}},
      {kKnownSpread, {1.96, 2.21, 2.35, 2.44, 2.51, 2.57, 2.61, 2.65, 2.69}},
  }};
  for (const Row& row : kTable) {
    for (std::size_t index = 0; index < row.points.size(); ++index) {
      CAPTURE(row.degrees);
      CAPTURE(index);
      const double point = dunnett_point(0.95, {.count = index + 1, .degrees = row.degrees});
      CHECK(std::abs(point - row.points[index]) < 0.0055);
    }
  }
}

TEST_CASE("dunnett: one-sided 5 % points are those of the published table") {
  // C. W. Dunnett, JASA 50 (1955) 1096-1121, table of one-sided comparisons, 95 %.
  constexpr std::array<Row, 4> kTable{{
      {5, {2.02, 2.44, 2.68, 2.85, 2.98, 3.08, 3.16, 3.24, 3.30}},
      {10, {1.81, 2.15, 2.34, 2.47, 2.56, 2.64, 2.70, 2.76, 2.81}},
      {20, {1.72, 2.03, 2.19, 2.30, 2.39, 2.46, 2.51, 2.56, 2.60}},
      {kKnownSpread, {1.64, 1.92, 2.06, 2.16, 2.23, 2.29, 2.34, 2.38, 2.42}},
  }};
  for (const Row& row : kTable) {
    for (std::size_t index = 0; index < row.points.size(); ++index) {
      CAPTURE(row.degrees);
      CAPTURE(index);
      const double point =
          dunnett_point(0.95, {.count = index + 1, .degrees = row.degrees, .sides = Sides::one});
      CHECK(std::abs(point - row.points[index]) < 0.0055);
    }
  }
}

TEST_CASE("dunnett: one comparison is Student's t, at every number of degrees") {
  for (const double degrees : {1.0, 2.0, 3.0, 12.0, 114.0, 2000.0}) {
    CAPTURE(degrees);
    const double point = student_upper_point(0.025, degrees);
    CHECK(dunnett_probability(point, {.count = 1, .degrees = degrees}) ==
          doctest::Approx(0.95).epsilon(1e-6));
  }
}

TEST_CASE("dunnett: uncorrelated comparisons with a known spread are independent") {
  const double point = dunnett_point(
      0.95, {.count = 6, .correlation = 0.0, .degrees = kKnownSpread, .sides = Sides::one});
  CHECK(1.0 - normal_upper_tail(point) == doctest::Approx(std::pow(0.95, 1.0 / 6.0)).epsilon(1e-8));
}

TEST_CASE("dunnett: two correlated one-sided comparisons at zero follow Sheppard's formula") {
  // P(Z1 <= 0, Z2 <= 0) = 1/4 + asin(rho) / (2 pi), whatever the spread.
  for (const double correlation : {0.0, 0.25, 0.5, 0.9}) {
    CAPTURE(correlation);
    const double expected = 0.25 + std::asin(correlation) / (2.0 * std::numbers::pi);
    CHECK(dunnett_probability(
              0.0, {.count = 2, .correlation = correlation, .degrees = 9, .sides = Sides::one}) ==
          doctest::Approx(expected).epsilon(1e-6));
  }
}

TEST_CASE("dunnett: a smaller correlation asks for a larger point") {
  const double half = dunnett_point(0.95, {.count = 6, .correlation = 0.5, .degrees = 12});
  const double fifth = dunnett_point(0.95, {.count = 6, .correlation = 0.2, .degrees = 12});
  CHECK(fifth > half);
  CHECK(fifth < student_upper_point(0.025 / 6.0, 12));
}

TEST_CASE("critical points: a remembered point is the computed one") {
  CriticalPoints points;
  const Comparisons comparisons{.count = 6, .degrees = 12};
  const double first = points.dunnett(0.95, comparisons);
  CHECK(first == dunnett_point(0.95, comparisons));
  CHECK(points.dunnett(0.95, comparisons) == first);
  CHECK(points.dunnett(0.99, comparisons) > first);
  CHECK(points.student(0.025, 12) == student_upper_point(0.025, 12));
  CHECK(points.student(0.025, 12) == points.student(0.025, 12));
  CHECK(points.student(0.01, 12) > points.student(0.025, 12));
}

}  // namespace mstune
