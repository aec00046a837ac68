#include <array>

#include <doctest/doctest.h>

#include "coordinator/inference/digest_check.h"
#include "coordinator/inference/refine.h"

namespace mstune {
namespace {

std::vector<std::string> refined(const std::vector<std::string>& ranked,
                                 const std::vector<std::string>& tried) {
  const auto parsed = [](const std::vector<std::string>& names) {
    std::vector<Candidate> candidates;
    for (const std::string& text : names) {
      candidates.push_back(parse_candidate(text));
    }
    return candidates;
  };
  std::vector<std::string> names;
  for (const Candidate& candidate : refinement(parsed(ranked), parsed(tried))) {
    names.push_back(name(candidate));
  }
  return names;
}

using Names = std::vector<std::string>;

constexpr std::size_t kCentre = 1;

// `default`, the centre, and one neighbour that is faster than the centre by `gain`.
Layout around_centre(double gain) {
  constexpr std::array<double, 4> kNoise{0.0, 0.01, -0.01, 0.0};
  std::vector<Observation> runs;
  for (std::size_t round = 0; round < 4; ++round) {
    runs.push_back({0, round, 0.1 + kNoise[(round + 1) % 4]});
    runs.push_back({kCentre, round, kNoise[round]});
    runs.push_back({2, round, -gain - kNoise[round]});
  }
  return {3, runs};
}

}  // namespace

TEST_CASE("refine: winner and runner-up strategy are tried one stream to either side") {
  const Names tried{"LoadBalance:4", "LoadBalance:2", "MainStream:8", "default"};
  CHECK(refined(tried, tried) ==
        Names{"LoadBalance:3", "LoadBalance:5", "MainStream:7", "MainStream:9"});
}

TEST_CASE("refine: what was tried and what cannot be is left out") {
  CHECK(refined({"LoadBalance:2", "default"}, {"LoadBalance:2", "LoadBalance:3", "default"}) ==
        Names{"LoadBalance:1"});
  CHECK(refined({"LoadBalance:1"}, {"LoadBalance:1"}) == Names{"LoadBalance:2"});
  CHECK(refined({"LoadBalance:64"}, {"LoadBalance:64"}) == Names{"LoadBalance:63"});
}

TEST_CASE("refine: cv has no neighbours, but the strategy behind it has") {
  CHECK(refined({"cv", "MainStream:4"}, {"cv", "MainStream:4"}) ==
        Names{"MainStream:3", "MainStream:5"});
  CHECK(refined({"cv"}, {"cv"}).empty());
}

TEST_CASE("refine: nothing is refined when default leads") {
  CHECK(refined({"default", "LoadBalance:4"}, {"default", "LoadBalance:4"}).empty());
  CHECK(refined({}, {}).empty());
}

TEST_CASE("refine: a neighbour within the noise ends the search, a faster one goes on") {
  CriticalPoints points;
  const std::vector<std::size_t> neighbours{2};
  CHECK_FALSE(better_neighbour(around_centre(0.005), points, kCentre, neighbours));
  CHECK(better_neighbour(around_centre(0.10), points, kCentre, neighbours) == 2);
  CHECK_FALSE(better_neighbour(around_centre(-0.10), points, kCentre, neighbours));
  CHECK_FALSE(better_neighbour(around_centre(0.10), points, kCentre, {}));
}

TEST_CASE("digests: same, different, nondeterministic and unknown") {
  const auto checks = check_results({{"aa", "aa"},
                                     {"aa", "aa"},
                                     {"bb", "bb"},
                                     {"aa", "bb"},
                                     {std::nullopt, std::nullopt},
                                     {std::nullopt, "aa"}});
  REQUIRE(checks.size() == 6);
  CHECK(checks[0].result == SameResult::same);
  CHECK(checks[1].result == SameResult::same);
  CHECK(checks[2].result == SameResult::different);
  CHECK(checks[3].result == SameResult::nondeterministic);
  CHECK(checks[4].result == SameResult::unknown);
  CHECK(checks[5].result == SameResult::same);
  const std::array<bool, 6> vetoed{false, false, true, true, false, false};
  for (std::size_t index = 0; index < vetoed.size(); ++index) {
    CAPTURE(index);
    CHECK(checks[index].vetoed == vetoed[index]);
  }
}

TEST_CASE("digests: a baseline that is silent or nondeterministic vetoes nobody") {
  for (const RunDigests& baseline : {RunDigests{std::nullopt}, RunDigests{"aa", "bb"}}) {
    const auto checks = check_results({baseline, {"cc", "cc"}, {"cc", "dd"}});
    CHECK(checks[1].result == SameResult::unknown);
    CHECK(checks[2].result == SameResult::nondeterministic);
    CHECK_FALSE(checks[1].vetoed);
    CHECK_FALSE(checks[2].vetoed);
  }
  CHECK(check_results({}).empty());
}

}  // namespace mstune
