// How many descriptors this process may have open, and what the programs that it starts may.
#pragma once

#include <cstdint>

namespace mstune::os {

// Raises the number of descriptors that this process may have as far as it is allowed to, and
// returns it. Programs started from now on get the one of before: some reserve memory for as many
// as they may have.
std::uint64_t raise_descriptor_limit();

// In a child between fork and exec, where nothing may be allocated.
void restore_descriptor_limit();

// True for errno of a call that failed for want of descriptors or memory: it may succeed later, and
// says nothing of what it was about.
bool is_shortage(int error_number);

}  // namespace mstune::os
