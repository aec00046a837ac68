#include "samples/digest.h"

#include <cstring>
#include <random>

namespace samples {

std::vector<unsigned char> fixed_input(std::size_t bytes, std::uint64_t seed) {
  std::vector<unsigned char> input(bytes, 0);
  std::mt19937_64 random(seed);
  for (std::size_t at = 0; at + sizeof(float) <= bytes; at += sizeof(float)) {
    const auto value = static_cast<float>(static_cast<double>(random() >> 40U) / (1U << 23U) - 1.0);
    std::memcpy(input.data() + at, &value, sizeof value);
  }
  return input;
}

void Digest::add(const void* data, std::size_t bytes) {
  const auto* at = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) {
    hash_ = (hash_ ^ at[i]) * 0x100000001B3ULL;
  }
}

std::string Digest::text() const {
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) {
    text += "0123456789abcdef"[(hash_ >> static_cast<unsigned>(shift)) & 15U];
  }
  return text;
}

}  // namespace samples
