// `mstune analyze`: its table of options.
#pragma once

#include "common/cli/line.h"
#include "coordinator/analyze.h"

namespace mstune::coordinator {

cli::Command analyze_table();

// Throws a usage error for what cannot be right.
AnalyzeOptions analyze_options(const cli::Line& line);

}  // namespace mstune::coordinator
