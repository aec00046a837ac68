// The pace at which files go to and from a machine that measures.
#pragma once

#include "common/time.h"

namespace mstune::protocol {

// One whole piece, of 256 KiB, in this time: 16 MiB a second.
inline constexpr Duration kGentlePeriod =
    std::chrono::duration_cast<Duration>(std::chrono::seconds(1)) / 64;

}  // namespace mstune::protocol
