#include "coordinator/order.h"

#include <limits>
#include <random>
#include <utility>

namespace mstune {
namespace {

// Neighbouring rounds must not start from neighbouring states of the generator.
// Source: the finalizer of SplitMix64, G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

std::mt19937_64 generator(const Order& order, std::size_t round) {
  return std::mt19937_64(mixed(order.seed ^ mixed(round)));
}

// Evenly from 0 to count - 1: numbers from the incomplete last span are thrown away.
std::size_t pick(std::mt19937_64& numbers, std::size_t count) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t limit = kLargest - kLargest % count;
  std::uint64_t number = numbers();
  while (number >= limit) {
    number = numbers();
  }
  return static_cast<std::size_t>(number % count);
}

}  // namespace

std::vector<std::size_t> round_order(const Order& order, std::size_t round,
                                     std::span<const std::size_t> participants) {
  std::vector<std::size_t> slots(participants.begin(), participants.end());
  if (order.kind == OrderKind::fixed) {
    return slots;
  }
  std::mt19937_64 numbers = generator(order, round);
  for (std::size_t left = slots.size(); left > 1; --left) {
    std::swap(slots[left - 1], slots[pick(numbers, left)]);
  }
  return slots;
}

std::vector<std::size_t> abba_order(const Order& order, std::size_t round, std::size_t a,
                                    std::size_t b) {
  if (order.kind == OrderKind::random) {
    std::mt19937_64 numbers = generator(order, round);
    if (pick(numbers, 2) == 1) {
      std::swap(a, b);
    }
  }
  return {a, b, b, a};
}

}  // namespace mstune
