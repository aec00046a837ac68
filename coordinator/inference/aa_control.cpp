#include "coordinator/inference/aa_control.h"

#include <algorithm>

namespace mstune {

bool control_holds(const Interval& second_default) {
  return second_default.low <= 0.0 && second_default.high >= 0.0;
}

void apply_control(const Interval& second_default, std::span<Evidence> words) {
  if (!control_holds(second_default)) {
    std::transform(words.begin(), words.end(), words.begin(), lowered);
  }
}

}  // namespace mstune
