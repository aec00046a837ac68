// What a fuzz target does when something that must hold does not: it stops, and libFuzzer keeps
// the input.
#pragma once

namespace mstune::fuzz {

inline void check(bool holds) {
  if (!holds) {
    __builtin_trap();
  }
}

}  // namespace mstune::fuzz
