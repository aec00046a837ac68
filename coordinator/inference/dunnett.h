// Dunnett's distribution: the largest of k comparisons with one common control.
//
// The multivariate Student t with equal correlation. Which intervals use it is decided elsewhere.
#pragma once

#include <cstddef>

namespace mstune {

enum class Sides { one, two };

struct Comparisons {
  std::size_t count = 1;     // k >= 1 comparisons with the control
  double correlation = 0.5;  // of any two of them, in [0, 1); 1/2 when all ran equally often
  double degrees = 1.0;      // of the spread's estimate; infinity when the spread is known
  Sides sides = Sides::two;
};

// P(max |T_i| <= point), or P(max T_i <= point) with one side, for point >= 0. Accurate to 1e-6.
//   integral over s of f(s) * integral over z of
//     [Phi((point s + sqrt(rho) z) / sqrt(1 - rho)) - Phi((-point s + ...) / ...)]^k phi(z)
// Source: C. W. Dunnett, JASA 50 (1955) 1096-1121; Biometrics 20 (1964) 482-491.
double dunnett_probability(double point, const Comparisons& comparisons);

// The point with dunnett_probability(point) = confidence, for 0.5 <= confidence < 1.
double dunnett_point(double confidence, const Comparisons& comparisons);

}  // namespace mstune
