// What agents of version 1 say, in the terms of version 2. Pure.
//
// Text that is bin now is read from both by the codec.
#pragma once

#include "protocol/codec.h"

namespace mstune::protocol {

// In version 1 `held_by` was also a mark for a machine that is not quiet.
void take_up_version_1(Report& report);

}  // namespace mstune::protocol
