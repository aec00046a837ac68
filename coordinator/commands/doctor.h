// `mstune doctor`: looks at this machine, and with a target at the agent's, before hours are spent.
#pragma once

#include <string>

#include "coordinator/command_line.h"

namespace mstune::coordinator {

// Adds the subcommand. Exit status: 0 nothing is in the way, 1 something is to be cured first.
Subcommand doctor_command();

}  // namespace mstune::coordinator
