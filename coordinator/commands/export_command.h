// `mstune export`: what to set in production, from a run directory.
#pragma once

#include "coordinator/command_line.h"

namespace mstune::coordinator {

Subcommand export_command();

}  // namespace mstune::coordinator
