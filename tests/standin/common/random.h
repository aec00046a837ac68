// Numbers that follow from a seed, the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace standin {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next();  // splitmix64
  double uniform();      // [0, 1)
  double normal();       // mean 0, deviation 1

 private:
  std::uint64_t state_;
};

// FNV-1a over eight bytes at a time, then a final mix: quick, not for security.
std::uint64_t fingerprint(const void* data, std::size_t size, std::uint64_t start = 0);
std::uint64_t fingerprint(std::string_view text, std::uint64_t start = 0);

// Fills memory with what follows from the seed.
void fill(void* data, std::size_t size, std::uint64_t seed);

}  // namespace standin
