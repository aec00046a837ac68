// Why the system refused something, for people.
#pragma once

#include <string>

namespace mstune::os {

// The system's own words for an errno, and in brackets what to do where that is known:
// "No space left on device (free some space there)".
std::string reason(int error_number);

}  // namespace mstune::os
