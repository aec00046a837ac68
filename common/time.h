// Time as the pure parts see it. They never read a clock: the loops do, and pass it in.
#pragma once

#include <chrono>
#include <cstdint>

namespace mstune {

using Duration = std::chrono::steady_clock::duration;
using TimePoint = std::chrono::steady_clock::time_point;  // for deadlines

inline constexpr TimePoint kNever = TimePoint::max();

// Adds without passing beyond kNever. A negative duration is taken as it is.
constexpr TimePoint after(TimePoint from, Duration wait) {
  if (wait > Duration::zero() && from > kNever - wait) {
    return kNever;
  }
  return from + wait;
}

}  // namespace mstune
