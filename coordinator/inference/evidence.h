// Evidence words: what an interval of a speedup allows to say, and how far away a decision is.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "coordinator/inference/intervals.h"

namespace mstune {

inline constexpr double kWorthwhileSpeedup = 1.05;  // the sample's bar for a recommendation

enum class Evidence {
  proven,        // the whole interval lies above the threshold
  likely,        // the point reaches the threshold and the interval lies above 1
  slower,        // the whole interval lies below 1
  equivalent,    // the whole interval lies between 1 / threshold and the threshold
  inconclusive,  // none of these
};

// The first word of the list that fits. `threshold` > 1.
Evidence evidence(const Interval& interval, double threshold = kWorthwhileSpeedup);

// "proven", "likely", ...: as in summary.csv.
std::string_view word(Evidence evidence);

// One word less, for a campaign whose A/A control failed: proven becomes likely, all else becomes
// inconclusive.
Evidence lowered(Evidence evidence);

// True when no more rounds are needed: the interval lies on one side of the threshold.
bool settled(const Interval& interval, double threshold = kWorthwhileSpeedup);

// In how many more rounds of all `candidates` (the baseline counted) the interval would leave the
// threshold outside, if the point and the noise stay what they are: the smallest K >= 1 with
//   |log_speedup - log threshold| > dunnett(0.95, n + K) * deviation * sqrt(n / (n + K)).
// A guess for people, not a promise. Nothing when 1,000 rounds would not be enough.
std::optional<std::size_t> rounds_to_settle(const Comparison& comparison, std::size_t candidates,
                                            CriticalPoints& points,
                                            double threshold = kWorthwhileSpeedup);

}  // namespace mstune
