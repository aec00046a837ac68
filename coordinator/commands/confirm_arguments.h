// `mstune confirm`: its table of options.
#pragma once

#include "common/cli/line.h"

namespace mstune::coordinator {

cli::Command confirm_table();

}  // namespace mstune::coordinator
