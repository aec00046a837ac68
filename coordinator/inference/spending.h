// Alpha spending: how much of the allowed error each look at growing data may use.
//
// Gives the boundaries of a one-sided group-sequential test in the standard normal's scale. What is
// tested, and how a boundary becomes a Student quantile, is decided by sequential.h.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mstune {

enum class SpendingRule {
  obrien_fleming,  // Lan & DeMets: 2 (1 - Phi(z(alpha/2) / sqrt(t))); hardly anything early
  pocock,          // Lan & DeMets: alpha ln(1 + (e - 1) t); nearly even
  quadratic,       // Kim & DeMets, power family: alpha t^2; between the two
};

// The error spent up to information fraction t in (0, 1], of `alpha` in (0, 0.5).
// Sources: K. K. G. Lan, D. L. DeMets, Biometrika 70 (1983) 659-663;
// K. Kim, D. L. DeMets, Biometrika 74 (1987) 149-154.
double spent_alpha(SpendingRule rule, double alpha, double fraction);

// z_1..z_L with P(Z_1 < z_1, ..., Z_{l-1} < z_{l-1}, Z_l >= z_l) = what look l may spend, where
// Corr(Z_i, Z_j) = sqrt(t_i / t_j). `fractions` rise strictly within (0, 1]. A look that may spend
// less than 1e-15 gets the boundary kNeverCrossed.
// Source: recursive integration, P. Armitage, C. K. McPherson, B. C. Rowe, JRSS A 132 (1969)
// 235-244.
std::vector<double> spending_boundaries(SpendingRule rule, double alpha,
                                        std::span<const double> fractions);

inline constexpr double kNeverCrossed = 8.0;

}  // namespace mstune
