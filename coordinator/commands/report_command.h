// `mstune report`: a run directory as one HTML file.
#pragma once

#include "coordinator/command_line.h"

namespace mstune::coordinator {

Subcommand report_command();

}  // namespace mstune::coordinator
