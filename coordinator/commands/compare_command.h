// `mstune compare`: two run directories side by side.
#pragma once

#include "coordinator/command_line.h"

namespace mstune::coordinator {

Subcommand compare_command();

}  // namespace mstune::coordinator
