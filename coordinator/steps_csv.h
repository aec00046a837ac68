// steps.csv: every step of a trial as a table. Pure; writes in pieces, for ten million of them.
#pragma once

#include <functional>
#include <string_view>

#include "coordinator/step_set.h"

namespace mstune::coordinator {

// Delivers the text in pieces of about 64 KiB: the sample's columns, and `pid` after them.
void format_steps_csv(const StepSet& steps, const std::function<void(std::string_view)>& sink);

}  // namespace mstune::coordinator
