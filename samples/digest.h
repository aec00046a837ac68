// Fixed inputs and digests of outputs: two runs that computed the same print the same line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace samples {

// Floats in [-1, 1) that follow from the seed; what is left of `bytes` behind whole floats is 0.
std::vector<unsigned char> fixed_input(std::size_t bytes, std::uint64_t seed);

// FNV-1a, 64 bits: tells outputs apart, protects nothing.
class Digest {
 public:
  void add(const void* data, std::size_t bytes);
  [[nodiscard]] std::string text() const;  // 16 hexadecimal digits

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325ULL;
};

}  // namespace samples
