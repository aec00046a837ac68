// The clock that the loops read, and hand on to the machines that they drive.
#pragma once

#include "common/time.h"

namespace mstune::os {

inline TimePoint steady_now() {
  return std::chrono::steady_clock::now();
}

}  // namespace mstune::os
