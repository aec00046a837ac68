#include "coordinator/progress.h"

#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "coordinator/console.h"
#include "tests/unit/coordinator/step_text.h"

namespace mstune::coordinator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const TimePoint kStart = TimePoint{} + seconds(1000);
const Trial kTrial{4, parse_candidate("LoadBalance:2"), 2};

EvaluatedTrial failed() {
  EvaluatedTrial trial;
  trial.trial = kTrial;
  trial.outcome.exit_code = 3;
  trial.evaluation.reasons.push_back({"exit_status", message("a.b", "it \x1b failed")});
  return trial;
}

void tell_everything(Progress& progress) {
  CampaignDocument campaign;
  campaign.candidates = candidates_of_list("cv");
  campaign.repeat = 3;
  progress.campaign(campaign, "/runs/run_1");
  progress.tick(kStart);
  progress.planned(6, false);
  progress.building(kDefaultCandidate);
  progress.built(kDefaultCandidate, 1.5, "/runs/run_1/om/model_default.om");
  progress.uploaded(kDefaultCandidate, 4096, 1024);
  progress.started(kTrial, "./infer");
  progress.recorded(failed(), "last words\nof it");
  progress.decided(message("look.open", "{} is open", "cv"));
  progress.note(message("a.note", "told once"));
  progress.note(message("a.note", "told once"));
}

TEST_CASE("progress: plain lines tell everything, notes once") {
  std::ostringstream out;
  Progress progress(out);
  tell_everything(progress);
  CHECK(out.str() ==
        "candidates (2 x 3 rounds): default, cv\n"
        "run directory: /runs/run_1\n"
        "[build] default ...\n"
        "[build] default: /runs/run_1/om/model_default.om in 1.5 s\n"
        "[upload] default: 4.0 KiB, 1.0 KiB sent\n"
        "[004] LoadBalance:2 round 2: ./infer\n"
        "[004] LoadBalance:2 round 2: exit status 3, 0 steps, does not count\n"
        "      it \\x1b failed\n"
        "        | last words\n"
        "        | of it\n"
        "[look] cv is open\n"
        "note: told once\n");
  CHECK(progress.deadline() == kNever);
}

TEST_CASE("progress: quiet tells nothing") {
  std::ostringstream out;
  Progress progress(out, ProgressStyle::quiet);
  tell_everything(progress);
  CHECK(out.str().empty());
}

TEST_CASE("progress: each event is one line of JSON") {
  std::ostringstream out;
  Progress progress(out, ProgressStyle::json_lines);
  tell_everything(progress);
  std::istringstream lines(out.str());
  std::vector<std::string> kinds;
  for (std::string line; std::getline(lines, line);) {
    kinds.push_back(nlohmann::json::parse(line).at("event"));
  }
  CHECK(kinds == std::vector<std::string>{"campaign", "planned", "build_started", "build_done",
                                          "upload_done", "trial_started", "trial_done", "decided",
                                          "note"});
}

TEST_CASE("progress: the live view is drawn in place, a few times a second at most") {
  std::ostringstream out;
  {
    Progress progress(out, ProgressStyle::live, [] { return Terminal{}; });
    progress.tick(kStart);
    progress.planned(2, false);
    progress.tick(kStart + milliseconds(300));
    progress.started(kTrial, "./infer");
    const std::string before = out.str();
    progress.tick(kStart + milliseconds(400));
    CHECK(out.str() == before);
    CHECK(progress.deadline() == kStart + milliseconds(1300));
    progress.tick(kStart + milliseconds(600));
    const std::string drawn = out.str().substr(before.size());
    CHECK(drawn.starts_with("\r\x1b[2A\x1b[J"));  // two lines stood there
    CHECK(drawn.find("> LoadBalance:2 round 2") != std::string::npos);
    progress.note(message("a.note", "above it"));
    CHECK(out.str().find("\x1b[Jnote: above it\n[") != std::string::npos);
  }
  CHECK(out.str().ends_with("\x1b[J"));  // nothing of it stays
}

TEST_CASE("progress: a narrower terminal has broken the lines that are taken away") {
  std::ostringstream out;
  LiveScreen screen(out);
  screen.show("", {std::string(50, 'x'), "\x1b[32mshort\x1b[0m", ""}, 80);
  screen.clear(20);
  CHECK(out.str().ends_with("\r\x1b[5A\x1b[J"));
}

TEST_CASE("progress: the median of a running trial is that of the object with most records") {
  RecordLog records;
  CHECK_FALSE(latest_median_us(records).has_value());
  StepText small;
  small.object = "model_id=1";
  small.cost_us = 50;
  add_steps(records, kPlog, small, 0, 2);
  StepText large;
  large.object = "model_id=2";
  large.cost_us = 700;
  add_steps(records, kPlog, large, 0, 3);
  large.cost_us = 900;
  add_steps(records, kPlog, large, 3, 3);
  CHECK(latest_median_us(records) == 800.0);
}

TEST_CASE("console: options decide before the terminal does, and a dumb one gets plain lines") {
  const std::vector<std::string> known{"TERM=xterm"};
  CHECK(progress_style(false, false, true, known) == ProgressStyle::live);
  CHECK(progress_style(false, false, false, known) == ProgressStyle::plain);
  CHECK(progress_style(false, false, true, {"TERM=dumb"}) == ProgressStyle::plain);
  CHECK(progress_style(false, false, true, {}) == ProgressStyle::plain);
  CHECK(progress_style(true, false, true, known) == ProgressStyle::quiet);
  CHECK(progress_style(false, true, true, known) == ProgressStyle::json_lines);
}

TEST_CASE("console: NO_COLOR and the locale are heeded") {
  CHECK(terminal_of({}).colour);
  CHECK(terminal_of({"NO_COLOR="}).colour);
  CHECK_FALSE(terminal_of({"NO_COLOR=1"}).colour);
  CHECK_FALSE(terminal_of({}).unicode);
  CHECK(terminal_of({"LANG=zh_CN.utf8"}).unicode);
  CHECK_FALSE(terminal_of({"LC_ALL=C", "LANG=zh_CN.UTF-8"}).unicode);
  CHECK(terminal_of({"LC_CTYPE=C.UTF-8", "LANG=C"}).unicode);
}

TEST_CASE("progress: a stream that fails is noticed once, and nothing more is told") {
  std::ostringstream out;
  Progress progress(out);
  int losses = 0;
  progress.when_lost([&] { ++losses; });
  progress.note(message("test.one", "one"));
  CHECK(losses == 0);
  out.setstate(std::ios::badbit);
  progress.note(message("test.two", "two"));
  progress.note(message("test.three", "three"));
  CHECK(losses == 1);
  out.clear();
  progress.note(message("test.four", "four"));
  CHECK(out.str() == "note: one\n");
}

}  // namespace
}  // namespace mstune::coordinator
