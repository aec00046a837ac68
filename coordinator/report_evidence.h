// How sure the result is, in plain words for the console. Pure.
#pragma once

#include <string>
#include <vector>

#include "coordinator/ranking.h"

namespace mstune::coordinator {

// What the evidence supports, where it differs from the recommendation and why, ties, results that
// differ, and what casts doubt on the figures. Empty where there is nothing to compare.
std::vector<Message> evidence_messages(const Ranking& ranking);

}  // namespace mstune::coordinator
