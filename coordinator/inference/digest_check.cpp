#include "coordinator/inference/digest_check.h"

#include <algorithm>
#include <cstddef>
#include <set>

namespace mstune {
namespace {

std::set<std::string> distinct(const RunDigests& runs) {
  std::set<std::string> digests;
  for (const auto& digest : runs) {
    if (digest) {
      digests.insert(*digest);
    }
  }
  return digests;
}

SameResult judge(const std::set<std::string>& own, const std::set<std::string>& baseline) {
  if (own.size() > 1) {
    return SameResult::nondeterministic;
  }
  if (own.empty() || baseline.size() != 1) {
    return SameResult::unknown;
  }
  return own == baseline ? SameResult::same : SameResult::different;
}

}  // namespace

std::vector<ResultCheck> check_results(const std::vector<RunDigests>& candidates) {
  std::vector<ResultCheck> checks;
  if (candidates.empty()) {
    return checks;
  }
  const std::set<std::string> baseline = distinct(candidates.front());
  for (std::size_t candidate = 0; candidate < candidates.size(); ++candidate) {
    const std::set<std::string> own = distinct(candidates[candidate]);
    ResultCheck check;
    check.result = judge(own, baseline);
    check.vetoed = candidate > 0 && baseline.size() == 1 &&
                   std::any_of(own.begin(), own.end(), [&](const std::string& digest) {
                     return digest != *baseline.begin();
                   });
    checks.push_back(check);
  }
  return checks;
}

}  // namespace mstune
