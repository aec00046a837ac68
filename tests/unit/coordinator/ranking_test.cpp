#include "coordinator/ranking.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "coordinator/documents.h"
#include "coordinator/report_table.h"

namespace mstune::coordinator {
namespace {

using Json = nlohmann::json;

EvaluatedTrial trial(std::string_view candidate, std::vector<std::uint64_t> costs_us,
                     bool valid = true) {
  EvaluatedTrial trial;
  trial.trial.candidate = parse_candidate(candidate);
  trial.outcome.exit_code = valid ? 0 : 3;
  trial.evaluation.valid = valid;
  trial.evaluation.step_count = costs_us.size();
  trial.evaluation.costs_us = std::move(costs_us);
  if (!valid) {
    trial.evaluation.reasons.push_back({"exit_status", message("x.y", "it failed")});
  }
  return trial;
}

std::vector<std::string> names(const Ranking& ranking) {
  std::vector<std::string> names;
  for (const Summary& summary : ranking.summaries) {
    names.push_back(name(summary.candidate));
  }
  return names;
}

Verdict verdict_at(std::uint64_t baseline_us, std::uint64_t cost_us) {
  const Ranking ranking = rank({trial("default", {baseline_us}), trial("cv", {cost_us})}, {});
  for (const Summary& summary : ranking.summaries) {
    if (summary.candidate.strategy == Strategy::cv) {
      return summary.verdict;
    }
  }
  return Verdict::invalid;
}

CampaignDocument campaign() {
  CampaignDocument campaign;
  campaign.command = "./infer --loop 20";
  campaign.repeat = 3;
  return campaign;
}

TEST_CASE("ranking: verdicts change exactly at 1.05 and 0.98") {
  CHECK(verdict_at(1050000, 1000000) == Verdict::improvement);
  CHECK(verdict_at(1049999, 1000000) == Verdict::neutral);
  CHECK(verdict_at(980000, 1000000) == Verdict::neutral);
  CHECK(verdict_at(979999, 1000000) == Verdict::regression);
}

TEST_CASE("ranking: candidates stand by median, ties and those without data by name as text") {
  const Ranking ranking = rank({trial("default", {20}), trial("LoadBalance:8", {10}),
                                trial("LoadBalance:16", {10}), trial("cv", {10}, false)},
                               {parse_candidate("LoadBalance:2")});
  CHECK(names(ranking) == std::vector<std::string>{"LoadBalance:16", "LoadBalance:8", "default",
                                                   "LoadBalance:2", "cv"});
  CHECK(name(ranking.recommended) == "LoadBalance:16");
  CHECK(ranking.summaries[3].trials == 0);
}

TEST_CASE("ranking: the costs of all valid trials are pooled, others leave only their reasons") {
  const Ranking ranking =
      rank({trial("cv", {10, 20}), trial("cv", {90}), trial("cv", {1}, false)}, {});
  const Summary& summary = ranking.summaries.at(0);
  CHECK(summary.trials == 3);
  CHECK(summary.valid_trials == 2);
  CHECK(summary.figures->count == 3);
  CHECK(summary.figures->median_us == 20.0);
  CHECK(summary.reasons.size() == 1);
  CHECK(summary.reason_codes == std::vector<std::string>{"exit_status"});
  CHECK(summary.verdict == Verdict::no_baseline);
}

TEST_CASE("ranking: a median of 0 makes no ratio, and no candidate wins by it") {
  CHECK(verdict_at(100, 0) == Verdict::neutral);
  CHECK(verdict_at(0, 0) == Verdict::neutral);
  CHECK(verdict_at(0, 100) == Verdict::regression);
  const Ranking ranking = rank({trial("default", {0}), trial("cv", {0})}, {});
  CHECK(ranking.recommended == kDefaultCandidate);
  const Json json = Json::parse(summary_json(campaign(), ranking, {}));
  CHECK(json["summaries"][0]["speedup"].is_null());
  CHECK(json["summaries"][0]["cv"] == 0.0);
  CHECK(report_table(campaign(), ranking).find("below what the clock resolves") !=
        std::string::npos);
}

TEST_CASE("ranking: nothing measured has no data and recommends the default") {
  CHECK_FALSE(rank({}, {}).any_data());
  CHECK_FALSE(rank({trial("default", {}, false)}, {}).any_data());
  CHECK(rank({trial("default", {1})}, {}).any_data());
  CHECK(rank({}, {}).recommended == kDefaultCandidate);
}

TEST_CASE("documents: summary.json has the fields and types that the sample's users know") {
  const std::vector<EvaluatedTrial> trials{trial("default", {20, 22}), trial("cv", {10}, false)};
  const Json json = Json::parse(summary_json(campaign(), rank(trials, {}), trials));
  CHECK(json["mode"] == "online");
  CHECK(json["compile_command"].is_null());
  CHECK(json["configs"] == Json({"default", "cv"}));
  CHECK(json["recommended"] == "default");
  CHECK(json["summaries"][0]["mean_us"] == 21.0);
  CHECK(json["summaries"][1]["mean_us"].is_null());
  CHECK(json["summaries"][1]["steps"] == 0);
  CHECK(json["summaries"][1]["verdict"] == "invalid");
  CHECK(json["summaries"][1]["reasons"] == "trial 0: it failed");
  CHECK(json["trials"][0]["main_graph"] == "-");
  CHECK(json["trials"][0]["wall_seconds"].is_null());
  CHECK(json["trials"][1]["exit_code"] == 3);
  CHECK(json["trials"][1]["reasons"] == Json({"it failed"}));
  CHECK(json["trials"][1]["reason_codes"] == Json({"exit_status"}));
}

TEST_CASE("documents: strings that are not UTF-8 are replaced, never an error") {
  CampaignDocument odd = campaign();
  odd.command = "./infer \xff\xfe\xc3(";
  EvaluatedTrial bad = trial("cv", {1}, false);
  bad.evaluation.reasons[0].sentence.text = "mode=\xed\xa0\x80\x00";
  const std::vector<EvaluatedTrial> trials{bad};
  const Json json = Json::parse(summary_json(odd, rank(trials, {}), trials));
  CHECK(json["command"].get<std::string>().starts_with("./infer "));
  CHECK(Json::parse(trial_json(bad)).is_object());
  CHECK_NOTHROW(static_cast<void>(parse_campaign(campaign_json(odd), "campaign.json")));
}

TEST_CASE("documents: summary.csv quotes what a comma would split") {
  EvaluatedTrial bad = trial("cv", {1}, false);
  bad.evaluation.reasons[0].sentence.text = "a, \"b\"";
  CHECK(summary_csv(rank({trial("default", {20, 21}), bad}, {})) ==
        "config,trials,valid_trials,steps,mean_us,median_us,p90_us,cv,speedup,verdict,reasons,"
        "speedup_low,speedup_high,evidence\n"
        "default,1,1,2,20.5,20.5,21,0.024390243902439025,1,neutral,,,,\n"
        "cv,1,0,0,,,,,,invalid,\"trial 0: a, \"\"b\"\"\",,,\n");
}

TEST_CASE("documents: a campaign is read as it was written") {
  CampaignDocument written = campaign();
  written.mode = "offline";
  written.compile_command = "atc --output={om_prefix}";
  written.target_host = "192.168.1.10";
  written.gates = {.drop_first = 3, .min_steps = 9, .main_object = parse_object_id("3:11")};
  written.candidates = {kDefaultCandidate, parse_candidate("LoadBalance:4")};
  written.order = {OrderKind::random, 9007199254740991U};
  written.max_repeat = 20;
  written.control = true;
  written.refine = true;
  written.confirm_rounds = 5;
  written.digest_pattern = "digest (\\w+)";
  written.gates.drop_auto = true;
  written.versions = {{"mstune", "0.1.0"}, {"cann", "8.3"}};
  const CampaignDocument read = parse_campaign(campaign_json(written), "campaign.json");
  CHECK(read.mode == written.mode);
  CHECK(read.command == written.command);
  CHECK(read.compile_command == written.compile_command);
  CHECK(read.target_host == written.target_host);
  CHECK(read.repeat == 3);
  CHECK(read.gates.drop_first == 3);
  CHECK(read.gates.min_steps == 9);
  CHECK(read.gates.main_object == written.gates.main_object);
  CHECK(read.candidates == written.candidates);
  CHECK(read.max_repeat == 20U);
  CHECK(read.control);
  CHECK(read.refine);
  CHECK(read.confirm_rounds == 5);
  CHECK(read.digest_pattern == written.digest_pattern);
  CHECK(read.gates.drop_auto);
  CHECK(read.versions == written.versions);
  CHECK(read.order.kind == OrderKind::random);
  CHECK(read.order.seed == 9007199254740991U);
}

TEST_CASE("documents: of a trial's reasons those from outside are read back") {
  EvaluatedTrial written = trial("LoadBalance:4", {1}, false);
  written.trial.index = 7;
  written.trial.repeat = 2;
  written.attempt = 3;
  written.trial.purpose = Purpose::confirm;
  written.outcome.exit_code = -9;
  written.outcome.wall_seconds = 1.5;
  written.evaluation.reasons.insert(written.evaluation.reasons.begin(),
                                    {"timeout", message("trial.timeout", "its time was over")});
  const SavedTrial read = parse_trial(trial_json(written), "trial.json");
  CHECK(read.config == "LoadBalance:4");
  CHECK(read.index == 7U);
  CHECK(read.trial.repeat == 2);
  CHECK(read.attempt == 3);
  CHECK(read.trial.purpose == Purpose::confirm);
  CHECK(read.outcome.exit_code == -9);
  CHECK(read.outcome.wall_seconds == 1.5);
  REQUIRE(read.outcome.reasons.size() == 1);
  CHECK(read.outcome.reasons[0].code == "timeout");
  CHECK(read.outcome.reasons[0].sentence.text == "its time was over");
}

TEST_CASE("documents: what is wrong with a file is said with its name") {
  for (std::string_view text :
       {"", "{", "[]", "7", R"({"trials":{}})", R"({"trials":[7]})", R"({"trials":[{}]})",
        R"({"trials":[{"config":"Nonsense:4"}]})", R"({"trials":[{"config":5}]})",
        R"({"trials":[{"config":"cv","purpose":"fun"}]})", R"({"refine":1})",
        R"({"max_repeat":10001})", R"({"trials":[{"config":"cv","exit_code":"0"}]})",
        R"({"trials":[{"config":"cv","exit_code":99999999999}]})",
        R"({"trials":[{"config":"cv","index":-1}]})", R"({"drop_first":-1})", R"({"repeat":1.5})",
        R"({"configs":[1]})", R"({"main_graph":"x"})"}) {
    CAPTURE(text);
    try {
      parse_summary(text, "some/summary.json");
      FAIL("it was accepted");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::environment);
      CHECK(error.message().text.find("some/summary.json") != std::string::npos);
    }
  }
  CHECK(parse_summary("{}", "x").trials.empty());
}

TEST_CASE("report: a winner is shown with its table, how to reproduce it and how to use it") {
  std::vector<std::uint64_t> unstable{12000, 12000, 12000, 9000, 15000};
  const Ranking ranking = rank(
      {trial("default", {15000, 15000}), trial("LoadBalance:4", unstable), trial("cv", {1}, false)},
      {});
  CHECK(report_table(campaign(), ranking) ==
        R"(Candidates by median step time:
  candidate      valid  steps  mean(ms)  median(ms)  P90(ms)     CV  speedup  verdict
  LoadBalance:4    1/1      5    12.000      12.000   15.000  0.158    1.250  improvement
  default          1/1      2    15.000      15.000   15.000  0.000    1.000  neutral
  cv               0/1      0         -           -        -      -        -  invalid

Recommended: LoadBalance:4, 1.250 times as fast as default, median step 12.000 ms.
Evidence: too few rounds to say how sure this is; give --repeat 3 or more.
Hint: a run counts as fewer than 10 independent steps, because it is short or its steps resemble their neighbours: LoadBalance:4 (5.0), default (2.0). Let the program execute more steps.
Hint: steps vary much (their CV is above 0.05): LoadBalance:4 (0.158). Repeat more (--repeat), let a run take more steps, and see that profiling is off and nothing else uses the device.
To reproduce: GE_AUTO_MULTISTREAM_PARALLEL_MODE=LoadBalance:4 ./infer --loop 20
For production: set the session option ge.autoMultistreamParallelMode=LoadBalance:4 and remove the tuning pass, so that no step is recorded any more.
)");
}

TEST_CASE("report: keeping the default says why") {
  const auto report = [](const std::vector<EvaluatedTrial>& trials) {
    return report_table(campaign(), rank(trials, {}));
  };
  CHECK(report({trial("default", {100}), trial("cv", {99})}).find("at least 1.05 times as fast") !=
        std::string::npos);
  CHECK(
      report({trial("default", {}, false), trial("cv", {99})}).find("no valid trial of its own") !=
      std::string::npos);
  CHECK(report({trial("default", {}, false)}).find("No candidate has valid data") !=
        std::string::npos);
}

}  // namespace
}  // namespace mstune::coordinator
