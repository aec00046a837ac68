#include "tests/standin/common/random.h"

#include <cmath>
#include <cstring>
#include <numbers>

namespace standin {

std::uint64_t Random::next() {
  state_ += 0x9E3779B97F4A7C15;
  std::uint64_t value = state_;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

double Random::uniform() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

double Random::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::uint64_t fingerprint(const void* data, std::size_t size, std::uint64_t start) {
  constexpr std::uint64_t kPrime = 0x100000001B3;
  std::uint64_t hash = 0xCBF29CE484222325 ^ start;
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::size_t at = 0;
  for (; at + 8 <= size; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, sizeof word);
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 29;
  }
  for (; at < size; ++at) {
    hash = (hash ^ bytes[at]) * kPrime;
  }
  return Random(hash ^ size).next();
}

std::uint64_t fingerprint(std::string_view text, std::uint64_t start) {
  return fingerprint(text.data(), text.size(), start);
}

void fill(void* data, std::size_t size, std::uint64_t seed) {
  Random random(seed);
  auto* bytes = static_cast<unsigned char*>(data);
  for (std::size_t at = 0; at < size; at += 8) {
    const std::uint64_t word = random.next();
    std::memcpy(bytes + at, &word, size - at < 8 ? size - at : 8);
  }
}

}  // namespace standin
