// Why the system refused something, for people.
#pragma once

#include "common/message.h"

namespace mstune::os {

// The system's words for an errno, and in brackets what to do where that is known:
// "No space left on device (free some space there)".
Message reason(int error_number);

}  // namespace mstune::os
