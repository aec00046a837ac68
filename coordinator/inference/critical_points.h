// Critical points that were asked for once, remembered.
//
// A Dunnett point costs a few milliseconds and a campaign asks for the same few again and again.
// One table serves a whole command; it holds no state that a result could depend on.
#pragma once

#include <map>
#include <tuple>
#include <utility>

#include "coordinator/inference/dunnett.h"

namespace mstune {

class CriticalPoints {
 public:
  // dunnett_point of dunnett.h.
  double dunnett(double confidence, const Comparisons& comparisons);

  // student_upper_point of distributions.h.
  double student(double tail, double degrees);

 private:
  std::map<std::tuple<double, std::size_t, double, double, Sides>, double> dunnett_;
  std::map<std::pair<double, double>, double> student_;
};

}  // namespace mstune
