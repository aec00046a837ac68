#include "coordinator/inference/sequential.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <doctest/doctest.h>

#include "coordinator/inference/distributions.h"

namespace mstune {
namespace {

constexpr std::size_t kCandidates = 4;

// Noise that repeats every three rounds with mean zero, out of step between the candidates.
double wobble(std::size_t candidate, std::size_t round) {
  constexpr std::array<double, 3> kSteps{-1.0, 0.0, 1.0};
  return kSteps[candidate < 3 ? (round + candidate) % 3 : 2 * round % 3];
}

// Runs rounds of whoever is wanted until the sequence is finished; keeps every look.
struct Campaign {
  std::array<double, kCandidates> speedups;
  double noise = 0.01;
  SequentialRules rules;
  std::vector<Look> looks = {};
  std::vector<Observation> runs = {};

  Sequential play() {
    CriticalPoints points;
    Sequential sequential(kCandidates, rules);
    std::vector<std::size_t> participants{0, 1, 2, 3};
    for (std::size_t round = 0; !participants.empty(); ++round) {
      for (const std::size_t candidate : participants) {
        runs.push_back(
            {candidate, round, -std::log(speedups[candidate]) + noise * wobble(candidate, round)});
      }
      looks.push_back(sequential.look(Layout(kCandidates, runs), points));
      participants = looks.back().next_round;
    }
    return sequential;
  }
};

}  // namespace

TEST_CASE("sequential: nothing is decided before the first look") {
  Campaign campaign{{1.0, 1.5, 1.0, 1.0}, 0.001, {}};
  campaign.play();
  REQUIRE(campaign.looks.size() >= 3);
  CHECK(campaign.looks[0].decisions.empty());
  CHECK(campaign.looks[1].decisions.empty());
  CHECK(campaign.looks[1].next_round.size() == kCandidates);
  CHECK(campaign.looks[2].decisions.size() == kCandidates - 1);
}

TEST_CASE("sequential: clear candidates are proven, dropped or rest, and then it ends") {
  Campaign campaign{{1.0, 1.30, 1.20, 1.0}, 0.005, {}};
  const Sequential sequential = campaign.play();
  CHECK(campaign.looks.size() < 20);
  CHECK(sequential.progress()[1].standing == Standing::proven);
  CHECK(sequential.progress()[2].behind);
  CHECK(sequential.progress()[3].behind);
  CHECK(sequential.tied_with_best() == std::vector<std::size_t>{1});
  CHECK(campaign.looks.back().leader == 1);
}

TEST_CASE("sequential: a dropped candidate never runs again and default always does") {
  Campaign campaign{{1.0, 1.12, 1.055, 0.8}, 0.02, {}};
  campaign.play();
  bool dropped = false;
  for (const Look& look : campaign.looks) {
    if (look.next_round.empty()) {
      break;
    }
    CHECK(look.next_round.front() == kBaseline);
    const bool runs_on =
        std::find(look.next_round.begin(), look.next_round.end(), 3) != look.next_round.end();
    CHECK_FALSE((dropped && runs_on));
    dropped = dropped || !runs_on;
  }
  CHECK(dropped);
}

TEST_CASE("sequential: a candidate on the threshold is looked at until the last round") {
  Campaign campaign{{1.0, 1.05, 1.05, 1.05}, 0.02, {}};
  const Sequential sequential = campaign.play();
  CHECK(campaign.looks.size() == 20);
  CHECK(campaign.looks.back().rounds == 20);
  CHECK(sequential.progress()[1].standing == Standing::open);
  CHECK(sequential.tied_with_best().size() >= 3);
}

TEST_CASE("sequential: intervals only narrow and decisions carry their figures") {
  Campaign campaign{{1.0, 1.10, 1.06, 1.0}, 0.03, {}};
  campaign.play();
  std::array<double, kCandidates> low{-1e9, -1e9, -1e9, -1e9};
  std::array<double, kCandidates> high{1e9, 1e9, 1e9, 1e9};
  for (const Look& look : campaign.looks) {
    for (const Decision& decision : look.decisions) {
      REQUIRE(decision.after.interval);
      CHECK(decision.after.interval->low >= low[decision.candidate]);
      CHECK(decision.after.interval->high <= high[decision.candidate]);
      low[decision.candidate] = decision.after.interval->low;
      high[decision.candidate] = decision.after.interval->high;
      CHECK(decision.lag.has_value() == (decision.candidate != look.leader));
      if (decision.after.behind) {
        CHECK(decision.lag->low > 0.0);
      }
    }
  }
}

TEST_CASE("sequential: with one look and one candidate the interval is the fixed one") {
  const SequentialRules rules{.first_look = 5, .max_rounds = 5};
  std::vector<Observation> runs;
  for (std::size_t round = 0; round < 5; ++round) {
    runs.push_back({0, round, 0.02 * wobble(0, round)});
    runs.push_back({1, round, 0.02 * wobble(1, round) - 0.05});
  }
  const Layout layout(2, runs);
  CriticalPoints points;
  Sequential sequential(2, rules);
  const Look look = sequential.look(layout, points);
  const auto fixed = simultaneous_intervals(layout, points);
  REQUIRE(look.decisions.size() == 1);
  CHECK(look.next_round.empty());
  CHECK(look.decisions[0].after.interval->low == doctest::Approx(fixed[1]->low).epsilon(1e-5));
  CHECK(look.decisions[0].after.interval->high == doctest::Approx(fixed[1]->high).epsilon(1e-5));
}

TEST_CASE("sequential: the same rounds are looked at once") {
  Campaign campaign{{1.0, 1.10, 1.06, 1.0}, 0.03, {}};
  campaign.play();
  CriticalPoints points;
  Sequential sequential(kCandidates, {});
  std::vector<Observation> three;
  for (const Observation& run : campaign.runs) {
    if (run.round < 3) {
      three.push_back(run);
    }
  }
  const Layout layout(kCandidates, three);
  CHECK_FALSE(sequential.look(layout, points).decisions.empty());
  CHECK(sequential.look(layout, points).decisions.empty());
  CHECK_FALSE(sequential.look(layout, points).next_round.empty());
}

TEST_CASE("sequential: when all are slower the baseline leads and everyone else is behind") {
  Campaign campaign{{1.0, 0.8, 0.85, 0.7}, 0.005, {}};
  const Sequential sequential = campaign.play();
  CHECK(campaign.looks.back().leader == kBaseline);
  CHECK(sequential.tied_with_best() == std::vector<std::size_t>{kBaseline});
}

TEST_CASE("sequential: a bound below the first look is the first look") {
  Campaign campaign{{1.0, 1.5, 1.0, 1.0}, 0.001, {.first_look = 3, .max_rounds = 2}};
  campaign.play();
  CHECK(campaign.looks.size() == 2);
  CHECK(campaign.looks[1].decisions.size() == kCandidates - 1);
}

}  // namespace mstune
