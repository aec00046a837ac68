#include "coordinator/order.h"

#include <algorithm>
#include <array>
#include <map>

#include <doctest/doctest.h>

namespace mstune {
namespace {

const std::vector<std::size_t> kFour{0, 1, 2, 3};

}  // namespace

TEST_CASE("order: a fixed round runs its participants as given") {
  const std::vector<std::size_t> given{3, 0, 2};
  CHECK(round_order({OrderKind::fixed, 9}, 5, given) == given);
}

TEST_CASE("order: a random round is a permutation that seed and round determine") {
  const Order order{OrderKind::random, 42};
  const auto first = round_order(order, 0, kFour);
  CHECK(std::is_permutation(first.begin(), first.end(), kFour.begin(), kFour.end()));
  CHECK(round_order(order, 0, kFour) == first);
}

TEST_CASE("order: the same seed gives the same order everywhere") {
  // Computed by an independent program from the definition of the generator.
  const std::vector<std::size_t> seven{0, 1, 2, 3, 4, 5, 6};
  using Slots = std::vector<std::size_t>;
  CHECK(round_order({OrderKind::random, 1}, 0, seven) == Slots{5, 6, 2, 3, 1, 0, 4});
  CHECK(round_order({OrderKind::random, 1}, 1, seven) == Slots{1, 3, 0, 2, 6, 4, 5});
  CHECK(round_order({OrderKind::random, 20260902}, 19, seven) == Slots{1, 0, 4, 6, 2, 3, 5});
  CHECK(round_order({OrderKind::random, 0xffffffffffffffffU}, 1, seven) ==
        Slots{5, 2, 3, 0, 6, 1, 4});
}

TEST_CASE("order: every order of four comes up equally often over rounds and over seeds") {
  constexpr int kDraws = 24000;
  for (const bool over_rounds : {true, false}) {
    std::map<std::vector<std::size_t>, int> counts;
    for (int draw = 0; draw < kDraws; ++draw) {
      const auto number = static_cast<std::size_t>(draw);
      ++counts[over_rounds ? round_order({OrderKind::random, 1}, number, kFour)
                           : round_order({OrderKind::random, number}, 3, kFour)];
    }
    REQUIRE(counts.size() == 24);
    double chi_square = 0.0;
    for (const auto& [permutation, count] : counts) {
      chi_square += (count - 1000.0) * (count - 1000.0) / 1000.0;
    }
    CHECK(chi_square < 49.7);  // 0.1 % point of 23 degrees
  }
}

TEST_CASE("order: a dropped candidate leaves the order a function of seed and round") {
  const std::vector<std::size_t> rest{0, 2, 3};
  const auto slots = round_order({OrderKind::random, 42}, 7, rest);
  CHECK(std::is_permutation(slots.begin(), slots.end(), rest.begin(), rest.end()));
}

TEST_CASE("order: nobody and one alone need no shuffling") {
  CHECK(round_order({OrderKind::random, 1}, 0, {}).empty());
  CHECK(round_order({OrderKind::random, 1}, 0, std::array<std::size_t, 1>{5}) ==
        std::vector<std::size_t>{5});
}

TEST_CASE("order: a confirming round is ABBA or BAAB, both about equally often") {
  int starts_with_winner = 0;
  for (std::size_t round = 0; round < 400; ++round) {
    const auto slots = abba_order({OrderKind::random, 11}, round, 0, 4);
    REQUIRE(slots.size() == 4);
    CHECK(slots[0] == slots[3]);
    CHECK(slots[1] == slots[2]);
    CHECK(slots[0] != slots[1]);
    starts_with_winner += slots[0] == 4 ? 1 : 0;
  }
  CHECK(starts_with_winner > 160);
  CHECK(starts_with_winner < 240);
  CHECK(abba_order({OrderKind::fixed, 11}, 3, 0, 4) == std::vector<std::size_t>{0, 4, 4, 0});
}

}  // namespace mstune
