// How sure the result is, in plain words for the console. Pure.
#pragma once

#include <string>

#include "coordinator/ranking.h"

namespace mstune::coordinator {

// "1.180 to 1.310": the speedup's interval.
std::string interval_text(const Interval& interval);

// What the evidence supports, where it differs from the recommendation and why, ties, results that
// differ, and what casts doubt on the figures. Lines with their '\n'; empty where there is nothing
// to compare.
std::string evidence_text(const Ranking& ranking);

}  // namespace mstune::coordinator
