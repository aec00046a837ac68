#include "coordinator/run_comparison.h"

#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "coordinator/documents.h"
#include "coordinator/joint_ranking.h"

namespace mstune::coordinator {
namespace {

using Trials = std::vector<EvaluatedTrial>;

// A run of a candidate whose steps all cost about the same.
EvaluatedTrial trial(std::string_view candidate, int round, std::uint64_t cost_us) {
  EvaluatedTrial trial;
  trial.trial.candidate = parse_candidate(candidate);
  trial.trial.repeat = round;
  trial.outcome.exit_code = 0;
  trial.evaluation.valid = true;
  trial.evaluation.costs_us = {cost_us - 10, cost_us, cost_us + 10};
  return trial;
}

Trials campaign_of(std::uint64_t default_us, std::uint64_t other_us) {
  Trials trials;
  for (int round = 1; round <= 4; ++round) {
    const auto noise = static_cast<std::uint64_t>(round);
    trials.push_back(trial("default", round, default_us + noise));
    trials.push_back(trial("LoadBalance:4", round, other_us + 2 * noise));
  }
  return trials;
}

struct Run {
  CampaignDocument campaign;
  Trials trials;
  Ranking ranking;

  explicit Run(Trials measured) : trials(std::move(measured)), ranking(rank(trials, {})) {}
  [[nodiscard]] RunSide side(std::string name) const {
    return {campaign, ranking, trials, std::move(name)};
  }
};

TEST_CASE("comparison: a candidate that became faster has a ratio above 1, with its interval") {
  const Run before(campaign_of(10000, 9000));
  const Run after(campaign_of(10000, 6000));
  const RunComparison comparison = compare_runs(before.side("a"), after.side("b"));
  CHECK(comparison.settings.empty());
  REQUIRE(comparison.candidates.size() == 2);
  const CandidateChange& faster = comparison.candidates[0];
  CHECK(name(faster.candidate) == "LoadBalance:4");
  CHECK(*faster.ratio == doctest::Approx(1.5).epsilon(0.01));
  REQUIRE(faster.interval.has_value());
  CHECK(faster.interval->low > 0);
  const CandidateChange& same = comparison.candidates[1];
  CHECK(same.interval->low <= 0);
  CHECK(same.interval->high >= 0);
  const std::string text = comparison_text(before.side("a"), after.side("b"));
  CHECK(text.find("Settings and versions are the same.") != std::string::npos);
  CHECK(text.find("Both runs recommend LoadBalance:4.") != std::string::npos);
}

TEST_CASE("comparison: settings that differ are told, nested ones by their path") {
  Run before(campaign_of(10000, 9000));
  Run after(campaign_of(10000, 12000));
  before.campaign.command = "./infer --loop 20";
  after.campaign.command = "./infer --loop 30";
  after.campaign.gates.min_steps = 9;
  before.campaign.versions["cann"] = "8.2";
  after.campaign.versions["cann"] = "8.3";
  const RunComparison comparison = compare_runs(before.side("a"), after.side("b"));
  REQUIRE(comparison.settings.size() == 3);
  CHECK(comparison.settings[0].key == "command");
  CHECK(comparison.settings[0].after == "./infer --loop 30");
  CHECK(comparison.settings[1].key == "min_steps");
  CHECK(comparison.settings[1].before == "5");
  CHECK(comparison.settings[2].key == "versions.cann");
  CHECK(comparison.settings[2].after == "8.3");
  CHECK(comparison_text(before.side("a"), after.side("b"))
            .find("The recommendation changed from LoadBalance:4 to default.") !=
        std::string::npos);
}

TEST_CASE("comparison: a candidate of one run only has no ratio") {
  const Run before({trial("default", 1, 1000), trial("cv", 1, 900)});
  const Run after({trial("default", 1, 1000), trial("MainStream:2", 1, 800)});
  const auto json =
      nlohmann::json::parse(comparison_json(before.side("run_a"), after.side("run_b")));
  CHECK(json["before"] == "run_a");
  REQUIRE(json["candidates"].size() == 3);
  CHECK(json["candidates"][0]["config"] == "MainStream:2");
  CHECK(json["candidates"][0]["ratio"].is_null());
  CHECK(json["candidates"][1]["ratio"] == 1.0);
  CHECK(json["candidates"][1]["ratio_low"].is_null());  // one run on each side
  CHECK(json["candidates"][2]["after_us"].is_null());
}

// Two devices of one agent, of which the second is four times as slow; `ids` are theirs.
Run run_on_two(std::uint64_t default_us, std::uint64_t other_us, std::vector<std::int32_t> ids) {
  Trials trials;
  for (std::uint32_t device = 0; device < 2; ++device) {
    const std::uint64_t slowness = ids[device] == 1 ? 4 : 1;
    for (EvaluatedTrial each : campaign_of(default_us * slowness, other_us * slowness)) {
      each.trial.device = device;
      trials.push_back(std::move(each));
    }
  }
  Run run(trials);
  run.campaign.fleet = Fleet{};
  run.campaign.fleet->spread = Spread::replicate;
  run.campaign.fleet->agents.emplace_back().target = "npu-a:18600";
  for (std::uint32_t device = 0; device < 2; ++device) {
    run.campaign.fleet->devices.push_back({device, 0, {ids[device]}, "", ""});
  }
  run.ranking = rank_run(run.campaign, run.trials);
  return run;
}

TEST_CASE("comparison: several devices are compared each with itself, whatever its number") {
  const Run before = run_on_two(10000, 9000, {0, 1});
  const Run after = run_on_two(10000, 6000, {1, 0});
  const RunComparison comparison = compare_runs(before.side("a"), after.side("b"));
  REQUIRE(comparison.candidates.size() == 2);
  const CandidateChange& faster = comparison.candidates[0];
  CHECK(name(faster.candidate) == "LoadBalance:4");
  CHECK_FALSE(faster.before_us.has_value());
  CHECK(faster.ratio.value_or(0) == doctest::Approx(1.5).epsilon(0.001));
  REQUIRE(faster.interval.has_value());
  CHECK(faster.interval->low > std::log(1.49));
  CHECK(faster.interval->high < std::log(1.51));
  CHECK(comparison.candidates[1].ratio.value_or(0) == doctest::Approx(1.0).epsilon(0.001));
}

TEST_CASE("comparison: devices that only one run has are left out") {
  const Run before = run_on_two(10000, 9000, {0, 1});
  const Run after = run_on_two(10000, 6000, {0, 7});
  const Run elsewhere = run_on_two(10000, 6000, {6, 7});
  CHECK(compare_runs(before.side("a"), after.side("b")).candidates[0].ratio.value_or(0) ==
        doctest::Approx(1.5).epsilon(0.001));
  CHECK_FALSE(compare_runs(before.side("a"), elsewhere.side("b")).candidates[0].ratio.has_value());
}

}  // namespace
}  // namespace mstune::coordinator
