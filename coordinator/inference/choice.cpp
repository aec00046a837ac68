#include "coordinator/inference/choice.h"

#include <algorithm>

namespace mstune {
namespace {

int stream_cost(const Candidate& candidate) {
  switch (candidate.strategy) {
    case Strategy::single_default:
      return 1;
    case Strategy::cv:
      return kStreamsMax + 1;
    case Strategy::load_balance:
    case Strategy::main_stream:
    case Strategy::weighted_load_balance:
      break;
  }
  return candidate.streams;
}

}  // namespace

bool preferred(const Contender& one, const Contender& other) {
  const int cost = stream_cost(one.candidate);
  const int other_cost = stream_cost(other.candidate);
  if (cost != other_cost) {
    return cost < other_cost;
  }
  if (one.log_speedup != other.log_speedup) {
    return one.log_speedup > other.log_speedup;
  }
  return one.index < other.index;
}

const Contender* preferred_of(std::span<const Contender> tied) {
  const Contender* best = nullptr;
  for (const Contender& contender : tied) {
    if (!contender.vetoed && (best == nullptr || preferred(contender, *best))) {
      best = &contender;
    }
  }
  return best;
}

const Contender* supported(std::span<const Contender> all, std::span<const std::size_t> tied) {
  const Contender* in_tie = nullptr;
  const Contender* fastest = nullptr;
  for (const Contender& contender : all) {
    if (contender.vetoed || contender.evidence != Evidence::proven) {
      continue;
    }
    if (fastest == nullptr || contender.log_speedup > fastest->log_speedup) {
      fastest = &contender;
    }
    const bool shares_first = std::find(tied.begin(), tied.end(), contender.index) != tied.end();
    if (shares_first && (in_tie == nullptr || preferred(contender, *in_tie))) {
      in_tie = &contender;
    }
  }
  return in_tie != nullptr ? in_tie : fastest;
}

}  // namespace mstune
