#include "coordinator/report_page.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "coordinator/joint_ranking.h"

namespace mstune::coordinator {
namespace {

using Json = nlohmann::json;

EvaluatedTrial trial(std::uint32_t index, std::string_view candidate, double start_s,
                     std::vector<std::uint64_t> costs_us) {
  EvaluatedTrial trial;
  trial.trial.index = index;
  trial.trial.candidate = parse_candidate(candidate);
  trial.outcome.exit_code = 0;
  trial.evaluation.valid = true;
  trial.evaluation.start_s = start_s;
  trial.evaluation.costs_us = std::move(costs_us);
  return trial;
}

std::string page_of(const CampaignDocument& campaign, const std::vector<EvaluatedTrial>& trials) {
  return report_page({campaign, rank(trials, {}), trials, "run_1"}, Language::english);
}

TEST_CASE("report page: a command cannot end the element that holds the data") {
  CampaignDocument campaign;
  campaign.command = "./infer '</script><script>alert(1)</script>' @STYLE@ \xff";
  const std::string page = page_of(campaign, {trial(0, "default", 5, {1000, 1100})});
  CHECK(page.find("alert(1)</script>") == std::string::npos);
  CHECK(page.find("@STYLE@") != std::string::npos);  // theirs stays, ours is filled
  CHECK(page.find("<style>@") == std::string::npos);
}

TEST_CASE("report page: it is whole and asks for nothing from outside") {
  const std::string page = page_of({}, {trial(0, "default", 5, {1000, 1100})});
  CHECK(page.starts_with("<!DOCTYPE html>"));
  CHECK(page.ends_with("</html>\n"));
  CHECK(page.find("Chart.js v3") != std::string::npos);
  CHECK(page.find("<link") == std::string::npos);
  CHECK(page.find("src=") == std::string::npos);
}

TEST_CASE("report data: steps stand at their time since the first step of the campaign") {
  const std::vector<EvaluatedTrial> trials{trial(0, "cv", 20, {2000, 4000, 1000}),
                                           trial(1, "default", 10, {3000})};
  const Ranking ranking = rank(trials, {});
  const CampaignDocument campaign;
  const Json data = Json::parse(report_data({campaign, ranking, trials, "r"}, Language::chinese));
  CHECK(data["language"] == "zh");
  CHECK(data["trials"][0]["points"] == Json{{10.0, 2000}, {10.002, 4000}, {10.006, 1000}});
  CHECK(data["trials"][0]["median_us"] == 2000.0);
  CHECK(data["trials"][1]["start_s"] == 0.0);
  CHECK(data["candidates"].size() == 2);
}

TEST_CASE("report data: several devices are named, and what ran on all of them is counted") {
  std::vector<EvaluatedTrial> trials{
      trial(0, "default", 1, {2000, 2000}), trial(1, "cv", 2, {1000, 1000}),
      trial(2, "default", 1, {2200, 2200}), trial(3, "cv", 2, {1100, 1100})};
  for (EvaluatedTrial& each : trials) {
    each.trial.device = each.trial.index / 2;
    each.evaluation.step_count = 2;
  }
  CampaignDocument campaign;
  campaign.candidates = candidates_of_list("cv");
  AgentRecord agent;
  agent.target = "npu-a";
  agent.host = "a";
  agent.cann_version = "9.2.0";
  agent.state = "ready";
  campaign.fleet = Fleet{
      Spread::replicate, {agent}, {{0, 0, {0}, "Ascend910B2", {}}, {1, 0, {1}, "Ascend910B2", {}}}};
  const Ranking ranking = rank_run(campaign, trials);
  const Json data = Json::parse(report_data({campaign, ranking, trials, "r"}, Language::english));
  CHECK(data["settings"]["agents"] == Json{"npu-a (a, CANN 9.2.0, ready)"});
  CHECK(data["settings"]["devices"][1] == "device 1 (npu-a, device 1, Ascend910B2)");
  REQUIRE(data["candidates"].size() == 2);
  CHECK(data["candidates"][0]["name"] == "cv");
  CHECK(data["candidates"][0]["median_us"].is_null());  // costs of two devices are not pooled
  CHECK(data["candidates"][0]["steps"] == 4);
}

TEST_CASE("report data: a trial that does not count has its reasons and no points") {
  EvaluatedTrial failed = trial(0, "default", 1, {1000});
  failed.evaluation.valid = false;
  failed.evaluation.reasons.push_back({"exit_status", message("x.y", "it failed")});
  const std::vector<EvaluatedTrial> trials{failed};
  const CampaignDocument campaign;
  const Ranking ranking = rank(trials, {});
  const Json data = Json::parse(report_data({campaign, ranking, trials, "r"}, Language::english));
  CHECK(data["trials"][0]["points"].empty());
  CHECK(data["trials"][0]["median_us"].is_null());
  CHECK(data["trials"][0]["reasons"][0]["en"] == "it failed");
}

TEST_CASE("report data: of a long run an even choice is shown, its extremes always") {
  std::vector<std::uint64_t> costs(10000, 500);
  costs[777] = 9;
  costs[7778] = 9999;
  const auto steps = shown_steps(costs, 100);
  CHECK(steps.size() == 100);
  CHECK(std::is_sorted(steps.begin(), steps.end()));
  CHECK(std::find(steps.begin(), steps.end(), 777) != steps.end());
  CHECK(std::find(steps.begin(), steps.end(), 7778) != steps.end());
  CHECK(shown_steps({1, 2, 3}, 3) == std::vector<std::size_t>{0, 1, 2});
  CHECK(shown_steps({5, 5, 5, 5}, 3).size() <= 3);
  CHECK(shown_steps({}).empty());
}

}  // namespace
}  // namespace mstune::coordinator
