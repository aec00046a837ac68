// What an agent's socket takes from whoever knocks, before a key is known. README.md has it too.
#pragma once

#include <cstdint>

#include "protocol/limits.h"

namespace mstune::protocol {

// A header or a payload and what CURVE puts around it, and no more: strangers can make a socket
// keep as much for each of their connections.
inline constexpr std::int64_t kFrameBytesTaken = std::int64_t{260} * 1024;
static_assert(kFrameBytesTaken > std::int64_t{kRequestBytesMax});

}  // namespace mstune::protocol
