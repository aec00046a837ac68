// Sixteen bytes at once, in whatever registers the machine has for that.
#pragma once

#include <cstdint>
#include <cstring>

namespace mstune {

using Lanes = unsigned char __attribute__((vector_size(16)));

inline Lanes load_lanes(const char* bytes) {
  Lanes lanes;
  std::memcpy(&lanes, bytes, sizeof lanes);
  return lanes;
}

inline Lanes lanes_of(char value) {
  Lanes lanes;
  std::memset(&lanes, value, sizeof lanes);
  return lanes;
}

// 255 in each lane where both are equal, 0 in the others.
inline Lanes equal_lanes(Lanes left, Lanes right) {
  return reinterpret_cast<Lanes>(left == right);
}

inline bool any_lane(Lanes lanes) {
  std::uint64_t halves[2];
  std::memcpy(halves, &lanes, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

}  // namespace mstune
