// `mstune agents`: its table of options.
#pragma once

#include "common/cli/line.h"
#include "coordinator/agents.h"

namespace mstune::coordinator {

cli::Command agents_table();

// Throws a usage error when no agent is named.
AgentsOptions agents_options(const cli::Line& line);

}  // namespace mstune::coordinator
