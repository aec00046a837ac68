#include "coordinator/joint_ranking.h"

#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "coordinator/documents.h"
#include "coordinator/report_table.h"

namespace mstune::coordinator {
namespace {

using Json = nlohmann::json;

const Candidate kFast = parse_candidate("LoadBalance:4");
const Candidate kSlow = parse_candidate("cv");

EvaluatedTrial trial(const Candidate& candidate, std::uint32_t device, int round,
                     std::uint64_t cost_us) {
  EvaluatedTrial result;
  result.trial = {0, candidate, round, Purpose::measure, 0, device};
  result.outcome.exit_code = 0;
  result.evaluation.valid = cost_us > 0;
  result.evaluation.costs_us = std::vector<std::uint64_t>(cost_us > 0 ? 20 : 0, cost_us);
  return result;
}

CampaignDocument campaign(Spread spread, std::size_t devices = 2) {
  CampaignDocument document;
  document.candidates = {kDefaultCandidate, kFast, kSlow};
  document.repeat = 2;
  document.fleet = Fleet{};
  document.fleet->spread = spread;
  AgentRecord agent;
  agent.target = "npu-a:18600";
  agent.state = "ready";
  document.fleet->agents.push_back(agent);
  for (std::uint32_t number = 0; number < devices; ++number) {
    document.fleet->devices.push_back(
        {number, 0, {static_cast<std::int32_t>(number)}, "Ascend910B2", {}});
  }
  return document;
}

const Summary& summary_of(const std::vector<Summary>& summaries, const Candidate& candidate) {
  for (const Summary& summary : summaries) {
    if (summary.candidate == candidate) {
      return summary;
    }
  }
  FAIL("no such candidate");
  return summaries.front();
}

// Device 1 is twice as slow as device 0, in everything.
std::vector<EvaluatedTrial> shared_rounds() {
  return {trial(kDefaultCandidate, 0, 1, 1000), trial(kFast, 0, 1, 800),  trial(kSlow, 0, 1, 1100),
          trial(kDefaultCandidate, 1, 2, 2000), trial(kFast, 1, 2, 1250), trial(kSlow, 1, 2, 2000)};
}

TEST_CASE("joint ranking: the speedup is the geometric mean of the ratios within rounds") {
  const Ranking ranking = rank_run(campaign(Spread::share), shared_rounds());
  const Summary& fast = summary_of(ranking.summaries, kFast);
  CHECK(*fast.speedup == doctest::Approx(std::sqrt(1.25 * 1.6)));
  CHECK_FALSE(fast.figures.has_value());
  CHECK(fast.steps == 40);
  CHECK(fast.verdict == Verdict::improvement);
  CHECK(*summary_of(ranking.summaries, kDefaultCandidate).speedup == doctest::Approx(1.0));
  CHECK(*summary_of(ranking.summaries, kSlow).speedup ==
        doctest::Approx(std::sqrt(1000.0 / 1100.0)));
  CHECK(ranking.summaries.front().candidate == kFast);
  CHECK(ranking.recommended == kFast);
  CHECK(ranking.any_data());
}

TEST_CASE("joint ranking: a candidate is never compared with the default of another device") {
  auto trials = shared_rounds();
  trials[0] = trial(kDefaultCandidate, 0, 1, 0);  // device 0 has no default
  const Ranking ranking = rank_run(campaign(Spread::share), trials);
  CHECK(*summary_of(ranking.summaries, kFast).speedup == doctest::Approx(1.6));
  trials[3] = trial(kDefaultCandidate, 1, 2, 0);
  const Ranking none = rank_run(campaign(Spread::share), trials);
  CHECK_FALSE(summary_of(none.summaries, kFast).speedup.has_value());
  CHECK(summary_of(none.summaries, kFast).verdict == Verdict::no_baseline);
  CHECK(none.recommended == kDefaultCandidate);
}

TEST_CASE("joint ranking: the threshold of 1.05 is included") {
  const auto verdict_at = [](std::uint64_t cost_us) {
    const Ranking ranking =
        rank_run(campaign(Spread::share),
                 {trial(kDefaultCandidate, 0, 1, 105'000), trial(kFast, 0, 1, cost_us),
                  trial(kDefaultCandidate, 1, 2, 105'000), trial(kFast, 1, 2, cost_us)});
    return summary_of(ranking.summaries, kFast).verdict;
  };
  CHECK(verdict_at(99'999) == Verdict::improvement);
  CHECK(verdict_at(100'001) == Verdict::neutral);
  CHECK(verdict_at(108'000) == Verdict::regression);
}

TEST_CASE("joint ranking: each device has a ranking of its own, in its own microseconds") {
  const Ranking ranking = rank_run(campaign(Spread::share), shared_rounds());
  REQUIRE(ranking.devices.size() == 2);
  CHECK(ranking.devices[1].trials == 3);
  CHECK(ranking.devices[1].valid_trials == 3);
  CHECK(summary_of(ranking.devices[0].summaries, kFast).figures->median_us == 800);
  CHECK(summary_of(ranking.devices[1].summaries, kFast).figures->median_us == 1250);
  CHECK(ranking.devices[0].recommended == kFast);
  CHECK(ranking.chips.empty());
}

TEST_CASE("joint ranking: in replicate each device weighs the same, however many rounds count") {
  std::vector<EvaluatedTrial> trials;
  for (int round = 1; round <= 4; ++round) {
    trials.push_back(trial(kDefaultCandidate, 0, round, 1000));
    trials.push_back(trial(kFast, 0, round, 500));
  }
  trials.push_back(trial(kDefaultCandidate, 1, 1, 1000));
  trials.push_back(trial(kFast, 1, 1, 1000));
  const Ranking ranking = rank_run(campaign(Spread::replicate), trials);
  CHECK(*summary_of(ranking.summaries, kFast).speedup == doctest::Approx(std::sqrt(2.0)));
}

TEST_CASE("joint ranking: devices that disagree are told, and chips have rankings") {
  CampaignDocument document = campaign(Spread::replicate);
  document.fleet->devices[1].chip = "Ascend910B3";
  std::vector<EvaluatedTrial> trials;
  for (int round = 1; round <= 2; ++round) {
    trials.insert(trials.end(),
                  {trial(kDefaultCandidate, 0, round, 1000), trial(kFast, 0, round, 500),
                   trial(kSlow, 0, round, 1000), trial(kDefaultCandidate, 1, round, 1000),
                   trial(kFast, 1, round, 1100), trial(kSlow, 1, round, 800)});
  }
  const Ranking ranking = rank_run(document, trials);
  CHECK(ranking.recommended == kFast);
  REQUIRE(ranking.disagreements.size() == 1);
  CHECK(ranking.disagreements.front().text.find("cv (1.250") != std::string::npos);
  REQUIRE(ranking.chips.size() == 2);
  CHECK(ranking.chips[0].recommended == kFast);
  CHECK(ranking.chips[1].name == "Ascend910B3");
  CHECK(ranking.chips[1].recommended == kSlow);
}

TEST_CASE("joint ranking: a digest that is the device's own default's vetoes nobody") {
  auto trials = shared_rounds();
  for (EvaluatedTrial& each : trials) {
    each.digest = each.trial.device == 0U ? "a" : "b";
  }
  CHECK(rank_run(campaign(Spread::share), trials).recommended == kFast);
  trials[4].digest = "a";  // on device 1 the default says b
  CHECK(rank_run(campaign(Spread::share), trials).recommended == kDefaultCandidate);
}

TEST_CASE("joint ranking: the documents hold devices and agents, and read them back") {
  CampaignDocument document = campaign(Spread::share);
  document.fleet->agents.push_back(AgentRecord{"npu-b:18600", "", "", "", "", "", "given_up", "x"});
  const auto trials = shared_rounds();
  const Ranking ranking = rank_run(document, trials);
  const Json json = Json::parse(summary_json(document, ranking, trials));
  CHECK(json.at("spread") == "share");
  CHECK(json.at("devices").at(1).at("device") == 1);
  CHECK(json.at("devices").at(1).at("summaries").at(0).at("median_us") == 1250);
  CHECK(json.at("devices").at(0).at("valid_trials") == 3);
  CHECK(json.at("summaries").at(0).at("median_us").is_null());
  CHECK(json.at("summaries").at(0).at("mean_us").is_null());
  CHECK(json.at("summaries").at(0).at("p90_us").is_null());
  CHECK(json.at("trials").at(3).at("device") == 1);
  CHECK(json.at("agents").at(1).at("why") == "x");
  const CampaignDocument back = parse_campaign(campaign_json(document), "campaign.json");
  REQUIRE(back.fleet.has_value());
  CHECK(back.fleet->devices.size() == 2);
  CHECK(back.fleet->devices[1].ids == std::vector<std::int32_t>{1});
  CHECK(back.fleet->agents[1].state == "given_up");
  CHECK(parse_trial(trial_json(trials[3]), "trial.json").trial.device == 1U);
  const std::string text = report_table(document, ranking);
  CHECK(text.find("geometric mean over 2 devices") != std::string::npos);
  CHECK(text.find("npu-b:18600 was given up: x") != std::string::npos);
}

TEST_CASE("joint ranking: one device has none of all this") {
  CampaignDocument document = campaign(Spread::share);
  document.fleet.reset();
  auto trials = shared_rounds();
  for (EvaluatedTrial& each : trials) {
    each.trial.device.reset();
  }
  const Ranking ranking = rank_run(document, trials);
  CHECK(ranking.devices.empty());
  CHECK(ranking.summaries.front().figures.has_value());
  const Json json = Json::parse(summary_json(document, ranking, trials));
  CHECK_FALSE(json.contains("devices"));
  CHECK_FALSE(json.contains("spread"));
  CHECK_FALSE(json.at("trials").at(0).contains("device"));
}

}  // namespace
}  // namespace mstune::coordinator
