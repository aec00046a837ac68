// Confirm: the winner against `default` alone, in fresh rounds.
//
// The speedup of the candidate that came out best is biased upwards, because luck helped to choose
// it. Fresh runs of the two have no such luck. A round is A B B A (order.h), so that a steady drift
// of the box cancels within it.
#pragma once

#include <optional>
#include <span>

#include "coordinator/inference/intervals.h"

namespace mstune {

// Log median costs of the four runs of one round.
struct AbbaRound {
  double default_first = 0.0;
  double default_second = 0.0;
  double winner_first = 0.0;
  double winner_second = 0.0;
};

// The mean over rounds of (mean of the two defaults - mean of the two winners), with Student's t
// interval of n - 1 degrees: one comparison, no multiplicity. Nothing for fewer than two rounds.
std::optional<Interval> confirmation(std::span<const AbbaRound> rounds,
                                     double confidence = kConfidence);

}  // namespace mstune
