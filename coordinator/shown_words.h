// The words of the documents as a person reads them: each a message of its own, so that it can
// stand inside another one in every language. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/message.h"
#include "coordinator/ranking.h"

namespace mstune::coordinator {

// "proven", "inconclusive", ...
Message word_message(Evidence evidence);

// "improvement", "neutral", ...
Message word_message(Verdict verdict);

// "1.180 to 1.310": a speedup's interval.
Message interval_message(const Interval& interval);

// "12.345", without the unit.
std::string milliseconds_text(double microseconds);

// "default, cv, LoadBalance:4".
std::string name_list(const std::vector<Candidate>& candidates);

// The title of a trial: "LoadBalance:4 round 2", "default (control) round 2".
Message title_message(const Trial& trial);

}  // namespace mstune::coordinator
