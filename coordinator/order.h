// The order of the trials of a round.
//
// A round runs each of its candidates once. In a random order no candidate owns a slot, so a slow
// first slot or a box that warms up is noise and not a bias. The order of a round follows from the
// seed and its number alone: the same on every machine, and after a resume.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mstune {

enum class OrderKind { random, fixed };

struct Order {
  OrderKind kind = OrderKind::random;
  std::uint64_t seed = 0;  // recorded; without meaning when the order is fixed
};

// The participants of round `round` (from 0) in the order in which they run. Fixed: as given.
// Random: the Fisher-Yates shuffle (R. Durstenfeld, CACM 7 (1964) 420) on std::mt19937_64, whose
// numbers the C++ standard fixes; std::shuffle is not used because its result is not fixed.
std::vector<std::size_t> round_order(const Order& order, std::size_t round,
                                     std::span<const std::size_t> participants);

// A round of `mstune confirm`: A B B A, or B A A B by the toss of a coin, so that a steady drift
// cancels within the round. `a` and `b` are candidates.
std::vector<std::size_t> abba_order(const Order& order, std::size_t round, std::size_t a,
                                    std::size_t b);

}  // namespace mstune
