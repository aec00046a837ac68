// Bytes that look like weights: the same for the same seed, everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace mstune {

inline std::string random_bytes(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string bytes;
  bytes.reserve(size + sizeof(std::uint64_t));
  while (bytes.size() < size) {
    std::uint64_t value = random();
    for (std::size_t i = 0; i < sizeof value; ++i, value >>= 8U) {
      bytes += static_cast<char>(value & 0xffU);
    }
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace mstune
