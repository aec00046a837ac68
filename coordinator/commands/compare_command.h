// `mstune compare`: two run directories side by side.
#pragma once

#include "coordinator/command_line.h"

namespace mstune::coordinator {

Subcommand add_compare(CLI::App& app);

}  // namespace mstune::coordinator
