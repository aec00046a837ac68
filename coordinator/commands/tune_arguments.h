// `mstune tune`: its table of options, and what can be checked about them without looking at the
// world.
#pragma once

#include "common/cli/line.h"
#include "coordinator/tune_options.h"

namespace mstune::coordinator {

cli::Command tune_table();

// Throws a usage error for what cannot be right.
TuneOptions tune_options(const cli::Line& line);

}  // namespace mstune::coordinator
