// `mstune keygen`: its table of options.
#pragma once

#include "common/cli/line.h"

namespace mstune::coordinator {

cli::Command keygen_table();

}  // namespace mstune::coordinator
