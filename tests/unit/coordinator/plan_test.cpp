#include "coordinator/plan.h"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "common/error.h"
#include "coordinator/candidate_list.h"

namespace mstune::coordinator {
namespace {

std::vector<std::string> names(const std::vector<Candidate>& candidates) {
  std::vector<std::string> result;
  for (const Candidate& candidate : candidates) {
    result.push_back(name(candidate));
  }
  return result;
}

using Names = std::vector<std::string>;

TEST_CASE("plan: the matrix is the sample's: default first, strategies by streams") {
  CHECK(names(candidates_of_matrix("LoadBalance,MainStream", "2,4,8")) ==
        Names{"default", "LoadBalance:2", "LoadBalance:4", "LoadBalance:8", "MainStream:2",
              "MainStream:4", "MainStream:8"});
  CHECK(names(candidates_of_matrix("cv, WeightedLoadBalance", " 2 ,02")) ==
        Names{"default", "cv", "WeightedLoadBalance:2"});
}

TEST_CASE("plan: default is a candidate whether named or not, duplicates fold") {
  CHECK(names(candidates_of_list("LoadBalance:4,default,LoadBalance:4")) ==
        Names{"default", "LoadBalance:4"});
}

TEST_CASE("plan: empty items are passed over, and counts may be ranges") {
  CHECK(names(candidates_of_list("default,LoadBalance:4,")) == Names{"default", "LoadBalance:4"});
  CHECK(names(candidates_of_matrix("LoadBalance,", "2,,4,")) ==
        Names{"default", "LoadBalance:2", "LoadBalance:4"});
  CHECK(names(candidates_of_matrix("LoadBalance", "2,4-6,5")) ==
        Names{"default", "LoadBalance:2", "LoadBalance:4", "LoadBalance:5", "LoadBalance:6"});
  CHECK_THROWS_AS(candidates_of_matrix("cv", "6-4"), Error);
  CHECK_THROWS_AS(candidates_of_matrix("cv", "2-65"), Error);
  CHECK_THROWS_AS(candidates_of_matrix("cv", "2-"), Error);
}

TEST_CASE("plan: a bad list is answered with what was meant") {
  CHECK(check_strategies("LoadBalence,cv")->better == "LoadBalance,cv");
  CHECK(check_streams("2,65,4x")->better == "2,64,4");
  CHECK(check_candidates("loadbalance4,cv:2")->better == "LoadBalance:4,cv");
  CHECK(check_candidates("MainStream")->better == "MainStream:4");
  CHECK_FALSE(check_candidates("MainStream:04,cv,").has_value());
}

TEST_CASE("plan: a bad list is an error before anything runs") {
  CHECK_THROWS_AS(candidates_of_matrix("cv", "0"), Error);
  CHECK_THROWS_AS(candidates_of_matrix("Balance", "2"), Error);
  CHECK_THROWS_AS(candidates_of_list("LoadBalance:65"), Error);
}

TEST_CASE("plan: a round runs every candidate once") {
  const auto trials = trials_in_rounds(candidates_of_list("cv"), 2);
  REQUIRE(trials.size() == 4);
  CHECK(trials[2].index == 2);
  CHECK(trials[2].repeat == 2);
  CHECK(trials[2].candidate == kDefaultCandidate);
  CHECK(directory_name(trials[1]) == "trial_001_cv_r1");
}

TEST_CASE("plan: a random order numbers the trials as they run, and follows from the seed") {
  const auto candidates = candidates_of_list("cv,LoadBalance:2,LoadBalance:4,MainStream:2");
  const auto trials = trials_in_rounds(candidates, 8, {OrderKind::random, 7});
  REQUIRE(trials.size() == 40);
  std::set<std::vector<Candidate>> orders;
  for (std::size_t round = 0; round < 8; ++round) {
    std::vector<Candidate> order;
    for (std::size_t slot = 0; slot < 5; ++slot) {
      const Trial& trial = trials[round * 5 + slot];
      CHECK(trial.index == round * 5 + slot);
      CHECK(trial.repeat == static_cast<int>(round) + 1);
      order.push_back(trial.candidate);
    }
    CHECK(std::is_permutation(order.begin(), order.end(), candidates.begin(), candidates.end()));
    orders.insert(order);
  }
  CHECK(orders.size() > 1);
  const auto again = trials_of_round({candidates, 3}, {OrderKind::random, 7}, 10);
  for (std::size_t slot = 0; slot < 5; ++slot) {
    CHECK(again[slot].candidate == trials[10 + slot].candidate);
    CHECK(again[slot].index == 10 + slot);
  }
}

TEST_CASE("plan: a control is default a second time in each round, under a name of its own") {
  const auto trials =
      trials_of_round({candidates_of_list("cv"), 2, true}, {OrderKind::fixed, 0}, 4);
  REQUIRE(trials.size() == 3);
  CHECK(trials[2].candidate == kDefaultCandidate);
  CHECK(trials[2].purpose == Purpose::control);
  CHECK(directory_name(trials[2]) == "trial_006_default_control_r2");
  CHECK(title(trials[2]) == "default (control) round 2");
  CHECK(title(trials[1]) == "cv round 2");
}

TEST_CASE("plan: a confirming round is default, winner, winner, default, or the other way round") {
  const Candidate winner = parse_candidate("cv");
  const auto trials = confirming_trials({winner, 20}, {OrderKind::random, 3}, 7);
  const auto later = confirming_trials({winner, 2, 21}, {OrderKind::random, 3}, 87);
  CHECK(later.size() == 8);
  CHECK(later.front().repeat == 21);
  CHECK(later.back().repeat == 22);
  CHECK(later.front().index == 87);
  REQUIRE(trials.size() == 80);
  std::set<Candidate> first;
  for (std::size_t at = 0; at < trials.size(); at += 4) {
    CHECK(trials[at].candidate == trials[at + 3].candidate);
    CHECK(trials[at + 1].candidate == trials[at + 2].candidate);
    CHECK(trials[at].candidate != trials[at + 1].candidate);
    CHECK(trials[at].index == 7 + at);
    CHECK(trials[at + 3].repeat == static_cast<int>(at / 4) + 1);
    CHECK(trials[at].purpose == Purpose::confirm);
    first.insert(trials[at].candidate);
  }
  CHECK(first.size() == 2);
}

}  // namespace
}  // namespace mstune::coordinator
