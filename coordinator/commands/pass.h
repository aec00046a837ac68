// `mstune pass install|remove|status`: the tuning pass in the directory that GE scans.
#pragma once

#include "coordinator/command_line.h"

namespace mstune::coordinator {

// Adds the subcommand. `status` returns 0 when the pass is in place and works, else 1.
Subcommand pass_command();

}  // namespace mstune::coordinator
