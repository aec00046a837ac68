#include "coordinator/saved_run.h"

#include <sys/stat.h>

#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/os/file.h"
#include "coordinator/analyze.h"
#include "coordinator/steps_log.h"
#include "coordinator/trial_records.h"
#include "tests/unit/common_os/scratch.h"
#include "tests/unit/coordinator/step_text.h"

namespace mstune::coordinator {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

void write(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  os::write_file_atomically(path, text);
}

std::string log_of(std::string_view mode, std::uint64_t cost_us, std::uint64_t count = 8) {
  std::string text;
  StepText step;
  step.mode = mode;
  step.cost_us = cost_us;
  for (step.step = 0; step.step < count; ++step.step) {
    step.start_us = 1000 * step.step;
    text += step.line() + '\n';
  }
  return text;
}

// A trial of ours that ended.
void write_trial(const fs::path& directory, std::uint32_t index, std::string_view candidate,
                 std::uint64_t cost_us) {
  EvaluatedTrial trial;
  trial.trial = {index, parse_candidate(candidate), 1};
  trial.outcome.exit_code = 0;
  write(directory / "trial.json", trial_json(trial));
  write(directory / kPlog, log_of(candidate, cost_us));
}

struct Outcome {
  int status = 0;
  std::string out;
  std::string notes;
};

Outcome run_analyze(AnalyzeOptions options) {
  std::ostringstream out;
  std::ostringstream notes;
  Outcome outcome;
  outcome.status = analyze(options, out, notes);
  outcome.out = out.str();
  outcome.notes = notes.str();
  return outcome;
}

Outcome run_analyze(std::vector<std::string> inputs) {
  AnalyzeOptions options;
  options.inputs = std::move(inputs);
  options.json = true;
  return run_analyze(options);
}

std::string error_id(const std::vector<std::string>& inputs) {
  try {
    run_analyze(inputs);
  } catch (const Error& error) {
    return error.message().id;
  }
  return "";
}

TEST_CASE("steps.log: a line is read as it was written, whatever the source and the bytes") {
  using namespace std::string_literals;
  for (const std::string& source : {"stdout.log"s, "plog/a%b:c\n\x01\x7f é.log"s, ""s}) {
    for (const std::string& text : {"x"s, ""s, "a:1:b%41\r"s, "\x00\xff"s}) {
      std::string line = format_steps_log_line(source, 18446744073709551615U, text);
      REQUIRE(line.ends_with('\n'));
      line.pop_back();
      CHECK(line.find('\n') == std::string::npos);
      const auto parsed = parse_steps_log_line(line);
      REQUIRE(parsed.has_value());
      CHECK(parsed->source == source);
      CHECK(parsed->line == UINT64_MAX);
      CHECK(parsed->text == text);
    }
  }
  for (std::string_view cut : {"", "plog/a.log", "plog/a.log:12", "a:x:b", "a::b", "a%4:1:b",
                               "a%zz:1:b", "a:18446744073709551616:b", "a:-1:b"}) {
    CAPTURE(cut);
    CHECK_FALSE(parse_steps_log_line(cut).has_value());
  }
}

TEST_CASE("trial records: steps.log is taken alone, else stdout and then every file of plog") {
  const os::Scratch scratch;
  write(scratch / "stdout.log", log_of("a", 1, 1));
  write(scratch / "plog/run/plog/plog-1_2.log", log_of("b", 1, 1));
  write(scratch / "plog/debug/plog/plog-1_2.log", log_of("c", 1, 1));
  fs::create_directory_symlink(scratch.path(), scratch / "plog/circle");
  REQUIRE(::mkfifo((scratch / "plog/pipe").c_str(), 0600) == 0);
  const RecordLog log = read_trial_records(scratch.path());
  REQUIRE(log.size() == 3);
  CHECK(log.place(0) == "stdout.log:1");
  CHECK(log.place(1) == "plog/debug/plog/plog-1_2.log:1");
  CHECK(log.place(2) == "plog/run/plog/plog-1_2.log:1");

  write(scratch / "steps.log", format_steps_log_line(kPlog, 77, StepText{}.line()));
  const RecordLog live = read_trial_records(scratch.path());
  REQUIRE(live.size() == 1);
  CHECK(live.place(0) == std::string(kPlog) + ":77");
}

TEST_CASE("analyze: a finished run of ours comes out of its trial.json files") {
  const os::Scratch scratch;
  CampaignDocument campaign;
  campaign.command = "./infer";
  campaign.candidates = {kDefaultCandidate, parse_candidate("LoadBalance:4"),
                         parse_candidate("cv")};
  write(scratch / "campaign.json", campaign_json(campaign));
  write_trial(scratch / "trial_000_default_r1", 0, "default", 500);
  write_trial(scratch / "trial_001_LoadBalance4_r1", 1, "LoadBalance:4", 400);
  fs::create_directories(scratch / "trial_002_cv_r1/plog");

  const Outcome outcome = run_analyze({scratch.path().string()});
  CHECK(outcome.status == 0);
  CHECK(outcome.notes.find("trial_002_cv_r1") != std::string::npos);
  const Json json = Json::parse(outcome.out);
  CHECK(json["command"] == "./infer");
  CHECK(json["recommended"] == "LoadBalance:4");
  CHECK(json["configs"] == Json({"LoadBalance:4", "default", "cv"}));
  CHECK(json["trials"].size() == 2);
  CHECK(json["trials"][1]["processes"] == 1);
  CHECK_FALSE(fs::exists(scratch / "summary.json"));
  CHECK_FALSE(fs::exists(scratch / "trial_000_default_r1/steps.csv"));
}

TEST_CASE("analyze: --write leaves the documents in the run directory") {
  const os::Scratch scratch;
  write_trial(scratch / "trial_000_default_r1", 0, "default", 500);
  AnalyzeOptions options;
  options.inputs = {scratch.path().string()};
  options.write = true;
  const Outcome outcome = run_analyze(options);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("[000] default round 1: exit status 0, 8 steps, valid\n") !=
        std::string::npos);
  CHECK(outcome.out.find("Keep default") != std::string::npos);
  CHECK(Json::parse(os::read_file(scratch / "summary.json"))["summaries"][0]["steps"] == 7);
  CHECK(os::read_file(scratch / "summary.csv").starts_with("config,"));
  CHECK(os::read_file(scratch / "trial_000_default_r1/steps.csv").starts_with("execution,"));
  CHECK(run_analyze({scratch.path().string()}).out == os::read_file(scratch / "summary.json"));
}

TEST_CASE("analyze: trials that never ran stand only in the summary and stay void") {
  const os::Scratch scratch;
  write_trial(scratch / "trial_000_default_r1", 0, "default", 500);
  EvaluatedTrial unbuilt;
  unbuilt.trial = {1, parse_candidate("cv"), 1};
  unbuilt.outcome.reasons.push_back({"not_built", message("trial.not_built", "the build failed")});
  unbuilt.evaluation = evaluate_unrun(unbuilt.outcome);
  write(scratch / "summary.json", summary_json({}, rank({unbuilt}, {}), {unbuilt}));
  const Json json = Json::parse(run_analyze({scratch.path().string()}).out);
  REQUIRE(json["trials"].size() == 2);
  CHECK(json["trials"][1]["reason_codes"] == Json({"not_built"}));
  CHECK(json["trials"][1]["exit_code"].is_null());
}

TEST_CASE("analyze: a run of the sample is found in its output directory") {
  const os::Scratch scratch;
  const fs::path run = scratch / "run_20260902_143015_1";
  write(run / "summary.json",
        R"({"trials":[{"config":"default","repeat":1,"exit_code":0},
                      {"config":"LoadBalance:04","repeat":1,"exit_code":0}]})");
  write(run / "trial_000_default_r1/stdout.log", log_of("default", 500));
  write(run / "trial_001_LoadBalance04_r1/stdout.log", log_of("LoadBalance:04", 400));
  const Json json = Json::parse(run_analyze({scratch.path().string()}).out);
  CHECK(json["recommended"] == "LoadBalance:4");

  fs::create_directories(scratch / "run_20260903_143015_1/trial_000_default_r1");
  CHECK(error_id({scratch.path().string()}) == "run.several_runs");
}

TEST_CASE("analyze: the sample's trials beyond 999 keep their order") {
  const os::Scratch scratch;
  std::string list;
  for (int index = 998; index <= 1000; ++index) {
    list += fmt::format(R"({}{{"config":"default","repeat":{},"exit_code":{}}})",
                        list.empty() ? "" : ",", index, index == 1000 ? 5 : 0);
    write(scratch.path() / fmt::format("trial_{:03}_default_r{}/stdout.log", index, index),
          log_of("default", static_cast<std::uint64_t>(index - 900)));
  }
  write(scratch / "summary.json", R"({"trials":[)" + list + "]}");
  const SavedRun run = read_saved_run(scratch.path());
  REQUIRE(run.trials.size() == 3);
  CHECK(run.trials[2].directory.filename() == "trial_1000_default_r1000");
  CHECK(run.trials[2].saved.outcome.exit_code == 5);
}

TEST_CASE("analyze: a sample run that was killed is read from the names of its directories") {
  const os::Scratch scratch;
  write(scratch / "trial_000_default_r1/stdout.log", log_of("default", 500));
  write(scratch / "trial_001_LoadBalance4_r1/stdout.log", log_of("LoadBalance:4", 400));
  fs::create_directories(scratch / "trial_002_Nonsense_r1");
  const Outcome outcome = run_analyze({scratch.path().string()});
  const Json json = Json::parse(outcome.out);
  CHECK(json["recommended"] == "LoadBalance:4");
  CHECK(json["trials"].size() == 2);
  CHECK(outcome.notes.find("Nonsense") != std::string::npos);
}

TEST_CASE("analyze: plain logs and directories are trials of the candidates before their '='") {
  const os::Scratch scratch;
  write(scratch / "hand.log", log_of("default", 500));
  write(scratch / "again.log", log_of("default", 600));
  write(scratch / "lb/run/plog/plog-9_1.log", log_of("LoadBalance:4", 400));
  const Json json = Json::parse(run_analyze({"default=" + (scratch / "hand.log").string(),
                                             "LoadBalance:4=" + (scratch / "lb").string(),
                                             "default=" + (scratch / "again.log").string()})
                                    .out);
  CHECK(json["recommended"] == "LoadBalance:4");
  CHECK(json["summaries"][1]["trials"] == 2);
  CHECK(json["summaries"][1]["median_us"] == 550.0);
  CHECK(json["trials"][0]["exit_code"].is_null());
  CHECK(json["trials"][0]["valid"] == true);
}

TEST_CASE("analyze: its exit status is 1 when no candidate has data") {
  const os::Scratch scratch;
  write(scratch / "empty.log", "nothing\n");
  CHECK(run_analyze({"default=" + (scratch / "empty.log").string()}).status == 1);
}

TEST_CASE("analyze: inputs that make no sense are refused with what to write instead") {
  const os::Scratch scratch;
  write(scratch / "a.log", "");
  CHECK(error_id({}) == "analyze.inputs");
  CHECK(error_id({scratch.path().string()}) == "run.not_a_run");
  CHECK(error_id({(scratch / "none").string()}) == "run.no_directory");
  CHECK(error_id({(scratch / "a.log").string()}) == "run.no_directory");
  CHECK(error_id({"default=" + (scratch / "none").string()}) == "analyze.no_such_log");
  CHECK(error_id({"Nonsense=" + (scratch / "a.log").string()}) == "candidate.unknown_strategy");
  CHECK(error_id({"default=" + (scratch / "a.log").string(), scratch.path().string()}) ==
        "analyze.inputs");
  AnalyzeOptions options;
  options.inputs = {"default=" + (scratch / "a.log").string()};
  options.write = true;
  CHECK_THROWS_AS(run_analyze(options), Error);
}

}  // namespace
}  // namespace mstune::coordinator
