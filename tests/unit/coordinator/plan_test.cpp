#include "coordinator/plan.h"

#include <doctest/doctest.h>

#include "common/error.h"

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

TEST_CASE("plan: a bad list is an error before anything runs") {
  CHECK_THROWS_AS(candidates_of_matrix("LoadBalance,", "2"), Error);
  CHECK_THROWS_AS(candidates_of_matrix("LoadBalance", ""), Error);
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

}  // namespace
}  // namespace mstune::coordinator
