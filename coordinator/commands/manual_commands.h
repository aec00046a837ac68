// The commands by which mstune describes itself, from the table of all of its commands.
#pragma once

#include "coordinator/command_line.h"

namespace mstune::coordinator {

Subcommand completion_command();
Subcommand man_command();
Subcommand help_command();

}  // namespace mstune::coordinator
