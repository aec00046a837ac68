#include "coordinator/inference/critical_points.h"

#include "coordinator/inference/distributions.h"

namespace mstune {

double CriticalPoints::dunnett(double confidence, const Comparisons& comparisons) {
  const auto key = std::tuple(confidence, comparisons.count, comparisons.correlation,
                              comparisons.degrees, comparisons.sides);
  const auto found = dunnett_.find(key);
  if (found != dunnett_.end()) {
    return found->second;
  }
  return dunnett_.emplace(key, dunnett_point(confidence, comparisons)).first->second;
}

double CriticalPoints::student(double tail, double degrees) {
  const auto key = std::pair(tail, degrees);
  const auto found = student_.find(key);
  if (found != student_.end()) {
    return found->second;
  }
  return student_.emplace(key, student_upper_point(tail, degrees)).first->second;
}

}  // namespace mstune
