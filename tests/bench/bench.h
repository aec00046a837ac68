// What the small benchmarks share: time, and bytes that do not compress.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>

namespace mstune::bench {

inline std::string random_bytes(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string bytes(size, '\0');
  for (std::size_t at = 0; at < size; at += sizeof(std::uint64_t)) {
    const std::uint64_t value = random();
    std::memcpy(&bytes[at], &value, std::min(sizeof value, size - at));
  }
  return bytes;
}

// MiB/s of the best of `runs`: others share the machine, and none makes it faster than it is.
template <typename Work>
double best_mib_per_s(std::size_t bytes, int runs, const Work& work) {
  double best = 0;
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    best = std::max(best, static_cast<double>(bytes) / (1 << 20) / taken.count());
  }
  return best;
}

}  // namespace mstune::bench
