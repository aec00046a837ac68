// Do the candidates compute the same? Compares the digests that the program printed in its runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mstune {

// The digests of a candidate's valid runs; nothing where a run printed none.
using RunDigests = std::vector<std::optional<std::string>>;

enum class SameResult {
  same,              // every digest is the baseline's
  different,         // one digest, and it is not the baseline's
  nondeterministic,  // its own runs differ among themselves
  unknown,           // it printed no digest, or the baseline gives nothing to compare with
};

struct ResultCheck {
  SameResult result = SameResult::unknown;
  // Never proven and never recommended: some run of it computed something else than a baseline
  // that always computes the same.
  bool vetoed = false;
};

// By candidate, the baseline first.
std::vector<ResultCheck> check_results(const std::vector<RunDigests>& candidates);

}  // namespace mstune
