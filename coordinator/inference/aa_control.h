// The A/A control: `default` run a second time under another name.
//
// The two are the same, so an interval between them that leaves 1 out says that the box, not a
// candidate, makes differences; then no word of the campaign deserves full trust.
#pragma once

#include <cstddef>
#include <span>

#include "coordinator/inference/evidence.h"
#include "coordinator/inference/intervals.h"

namespace mstune {

// True when the interval of the second `default` holds a speedup of exactly 1.
bool control_holds(const Interval& second_default);

// Lowers every word (see lowered() in evidence.h) when the control does not hold.
void apply_control(const Interval& second_default, std::span<Evidence> words);

}  // namespace mstune
