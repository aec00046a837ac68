// One build of atc: from the model file to the OM and what lies beside it.
#pragma once

#include "tests/standin/atc/options.h"

namespace standin {

// Throws a GeError.
void build_om(const AtcOptions& options);

// --mode=6: prints what an OM holds.
void print_om(const AtcOptions& options);

}  // namespace standin
