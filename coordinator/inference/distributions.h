// The few probability functions that inference needs, with tails that stay exact when small.
// Pure; Boost.Math stays behind this header.
#pragma once

namespace mstune {

// P(Z > z) of the standard normal.
double normal_upper_tail(double z);

// The z with P(Z > z) = tail, for 0 < tail < 1.
double normal_upper_point(double tail);

// P(T > t) of Student's t; `degrees` > 0 and need not be whole.
double student_upper_tail(double t, double degrees);

// The t with P(T > t) = tail, for 0 < tail < 1 and degrees > 0.
double student_upper_point(double tail, double degrees);

// Density at s > 0 of S = sqrt(chi-square(degrees) / degrees), the ratio of an estimated to a true
// standard deviation.
double spread_ratio_density(double s, double degrees);

}  // namespace mstune
