// `mstune completion` and `mstune man`: the command line described by itself.
#pragma once

#include "coordinator/command_line.h"

namespace mstune::coordinator {

Subcommand add_completion(CLI::App& app);
Subcommand add_man(CLI::App& app);

}  // namespace mstune::coordinator
