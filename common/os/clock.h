// The clock that the loops read, and hand on to the machines that they drive.
#pragma once

#include <chrono>
#include <cstdint>

#include "common/time.h"

namespace mstune::os {

inline TimePoint steady_now() {
  return std::chrono::steady_clock::now();
}

// Microseconds since the epoch, as this machine's wall clock has it.
inline std::int64_t wall_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Zero once it is due: what is due at once may lie so far back that the difference would not fit.
inline Duration time_left(TimePoint deadline, TimePoint now) {
  return deadline <= now ? Duration::zero() : deadline - now;
}

}  // namespace mstune::os
