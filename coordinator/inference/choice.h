// What the evidence supports: which candidates share the first place, and which of them to take.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/candidate.h"
#include "coordinator/inference/evidence.h"

namespace mstune {

struct Contender {
  std::size_t index = 0;  // in the campaign's list
  Candidate candidate;
  double log_speedup = 0.0;
  Evidence evidence = Evidence::inconclusive;
  bool vetoed = false;  // its digest differs from the baseline's
};

// True when `one` is to be preferred to `other` although their speeds cannot be told apart: fewer
// streams cost less memory and fewer synchronizations. `default` is one stream; `cv`, whose number
// GE chooses, comes after all that are known. With equal numbers the faster point is preferred,
// and then the earlier index.
bool preferred(const Contender& one, const Contender& other);

// The contender to take from a tie set, vetoed ones left out. Null when nothing is left.
const Contender* preferred_of(std::span<const Contender> tied);

// `proven` of summary.json: the preferred of the proven contenders that are in the tie set, or, if
// the tie set holds none, the fastest proven one. Null stands for `default`.
const Contender* supported(std::span<const Contender> all, std::span<const std::size_t> tied);

}  // namespace mstune
