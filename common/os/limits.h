// Limits of this process.
#pragma once

#include <cstdint>

namespace mstune::os {

// Raises the number of descriptors that this process may have as far as it is allowed to, and
// returns it. What this process starts inherits it.
std::uint64_t raise_descriptor_limit();

}  // namespace mstune::os
