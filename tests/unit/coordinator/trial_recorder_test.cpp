#include "coordinator/trial_recorder.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "common/os/file.h"
#include "tests/unit/common_os/scratch.h"
#include "tests/unit/coordinator/step_text.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

const Trial kTrial{3, parse_candidate("LoadBalance:4"), 1};

protocol::Event step_event(std::uint64_t number) {
  StepText step;
  step.mode = "LoadBalance:4";
  step.step = number;
  step.start_us = 1000 * number;
  return protocol::StepLine{{"plog/a.log"}, number + 1, {step.line()}};
}

protocol::Events steps(std::uint64_t first, std::uint64_t count) {
  protocol::Events events;
  events.first = first;
  for (std::uint64_t i = first; i < first + count; ++i) {
    events.events.push_back(step_event(i));
  }
  return events;
}

protocol::Events exit_at(std::uint64_t number) {
  protocol::Exited exited;
  exited.started = true;
  exited.cause = protocol::kCauseExit;
  return {{}, number, {exited}};
}

TEST_CASE("trial recorder: what comes again is passed over, and a gap is refused") {
  const os::Scratch scratch;
  TrialRecorder recorder(scratch / "trial", kTrial, 1);
  CHECK(recorder.take(steps(0, 5)));
  CHECK_FALSE(recorder.take(steps(6, 1)));
  CHECK(recorder.take(steps(2, 4)));
  CHECK(recorder.events() == 6);
}

TEST_CASE("trial recorder: the last event is not safe before the trial is recorded") {
  const os::Scratch scratch;
  TrialRecorder recorder(scratch / "trial", kTrial, 1);
  recorder.take(steps(0, 5));
  CHECK(recorder.secure() == 5);
  recorder.take(exit_at(5));
  CHECK(recorder.events() == 6);
  CHECK(recorder.secure() == 5);
  recorder.take(exit_at(5));  // sent again
  CHECK(recorder.events() == 6);
}

TEST_CASE(
    "trial recorder: GE's EVENT lines and the facts stay, over a killed coordinator as well") {
  const os::Scratch scratch;
  const fs::path directory = scratch / "trial";
  const std::string text = "[EVENT] GE(7,p):2026 [x.cc:1]7 F: Need rollback to single stream";
  {
    TrialRecorder recorder(directory, kTrial, 1);
    recorder.take(steps(0, 3));
    recorder.take({{}, 3, {protocol::EventLine{{"plog/a.log"}, 9, {text}}}});
    recorder.secure();
  }
  const auto progress = read_progress(directory);
  REQUIRE(progress);
  TrialRecorder recorder(directory, kTrial, *progress);
  REQUIRE(recorder.records().events().size() == 1);
  CHECK(recorder.records().events()[0].kind == EventKind::one_stream);
  CHECK(recorder.records().events()[0].source == "plog/a.log");
  CHECK(recorder.records().events()[0].line == 9);
  CHECK(recorder.records().events()[0].text == text);
  CHECK(recorder.records().size() == 3);

  protocol::Events last = exit_at(4);
  std::get<protocol::Exited>(last.events[0]).facts = {{"plog_files", std::int64_t{1}},
                                                      {"last_line", "cut \xff"}};
  recorder.take(last);
  recorder.finish({}, "");
  const std::string document = os::read_file(directory / "trial.json");
  CHECK(document.find("\"plog_files\": 1") != std::string::npos);
  CHECK(document.find("\"last_line\": \"cut \xef\xbf\xbd\"") != std::string::npos);
}

TEST_CASE("trial recorder: another coordinator goes on where the killed one had secured it") {
  const os::Scratch scratch;
  const fs::path directory = scratch / "trial";
  {
    TrialRecorder recorder(directory, kTrial, 2);
    recorder.take(steps(0, 5));
    recorder.secure();
    recorder.take(steps(5, 3));  // on disk, but not written down: it comes again
  }
  const auto progress = read_progress(directory);
  REQUIRE(progress);
  CHECK(progress->attempt == 2);
  CHECK(progress->events == 5);
  TrialRecorder recorder(directory, kTrial, *progress);
  CHECK(recorder.attempt() == 2);
  CHECK(recorder.secure() == 5);
  recorder.take(steps(5, 7));
  recorder.take(exit_at(12));
  const EvaluatedTrial trial = recorder.finish({}, "");
  CHECK(trial.evaluation.valid);
  CHECK(trial.evaluation.step_count == 12);
  CHECK(trial.attempt == 2);
  CHECK(fs::exists(directory / "trial.json"));
  CHECK_FALSE(read_progress(directory));
}

TEST_CASE("trial recorder: what a killed coordinator left of its last files is not appended to") {
  const os::Scratch scratch;
  const fs::path directory = scratch / "trial";
  {
    TrialRecorder recorder(directory, kTrial, 1);
    recorder.take(steps(0, 5));
    recorder.secure();
    recorder.take(exit_at(5));
    recorder.finish({}, "");
  }
  const std::string csv = os::read_file(directory / "steps.csv");
  const std::string document = os::read_file(directory / "trial.json");
  fs::rename(directory / "trial.json", directory / "trial.json.new");  // as it was named before
  os::append_to(directory / ".tmp-0011", document);
  os::append_to(directory / "progress.log", "1 0 0\n1 5 ");
  const std::string lines = os::read_file(directory / "steps.log");
  os::append_to(directory / "progress.log", fmt::format("{}\n1 5", lines.size()));

  TrialRecorder recorder(directory, kTrial, *read_progress(directory));
  recorder.take(exit_at(5));
  recorder.finish({}, "");
  CHECK(os::read_file(directory / "steps.csv") == csv);
  CHECK(os::read_file(directory / "trial.json") == document);
  CHECK(os::read_file(directory / "steps.log") == lines);
  CHECK_FALSE(fs::exists(directory / ".tmp-0011"));
}

TEST_CASE("trial recorder: a line of progress.log that was cut does not run into the next one") {
  const os::Scratch scratch;
  const fs::path directory = scratch / "trial";
  { TrialRecorder(directory, kTrial, 1); }
  os::append_to(directory / "progress.log", "1");
  { TrialRecorder(directory, kTrial, *read_progress(directory)).secure(); }
  os::append_to(directory / "progress.log", "1 0 0\n");
  CHECK(read_progress(directory)->attempt == 1);
}

TEST_CASE("trial recorder: an attempt whose steps are not all there is not gone on with") {
  const os::Scratch scratch;
  const fs::path directory = scratch / "trial";
  {
    TrialRecorder recorder(directory, kTrial, 1);
    recorder.take(steps(0, 5));
    recorder.secure();
  }
  CHECK(read_progress(directory));
  fs::resize_file(directory / "steps.log", fs::file_size(directory / "steps.log") - 1);
  CHECK_FALSE(read_progress(directory));
  fs::remove(directory / "steps.log");
  CHECK_FALSE(read_progress(directory));
}

TEST_CASE("trial recorder: a cut line of progress.log counts as if it were not there") {
  const os::Scratch scratch;
  CHECK_FALSE(read_progress(scratch.path()));
  os::write_file_atomically(scratch / "progress.log", "1 0");
  CHECK_FALSE(read_progress(scratch.path()));
  os::write_file_atomically(scratch / "steps.log", std::string(4096, 'x'));
  os::write_file_atomically(scratch / "progress.log", "1 0 0\n1 512 4096\n1 10");
  CHECK(read_progress(scratch.path())->events == 512);
  os::write_file_atomically(scratch / "progress.log", "1 0 0\n1 512 x\n1 2 3 4\n-1 2 3\n");
  CHECK(read_progress(scratch.path())->events == 0);
}

TEST_CASE("trial recorder: records beyond the limit are left out and make the trial void") {
  const os::Scratch scratch;
  TrialRecorder recorder(scratch / "trial", kTrial, 1);
  recorder.limit_records(8);
  recorder.take(steps(0, 8));
  CHECK_FALSE(recorder.is_flooded());
  recorder.take(steps(8, 1));
  CHECK(recorder.is_flooded());
  recorder.take(exit_at(9));
  const EvaluatedTrial trial = recorder.finish({}, "");
  CHECK_FALSE(trial.evaluation.valid);
  REQUIRE(trial.outcome.reasons.size() == 1);
  CHECK(trial.outcome.reasons[0].code == "too_many_records");
  CHECK(trial.evaluation.step_count == 8);
}

TEST_CASE("trial recorder: lines that are no record count against the limit, too") {
  const os::Scratch scratch;
  TrialRecorder recorder(scratch / "trial", kTrial, 1);
  recorder.limit_records(8);
  recorder.take(steps(0, 3));
  protocol::Events malformed;
  malformed.first = 3;
  for (std::uint64_t line = 1; line <= 6; ++line) {
    malformed.events.emplace_back(
        protocol::StepLine{{"plog/a.log"}, 100 + line, {"[GE_MS_TUNE][STEP] api=Run step=x"}});
  }
  recorder.take(malformed);
  CHECK(recorder.is_flooded());
  CHECK(recorder.records().size() == 3);
  CHECK(recorder.records().malformed_count() == 5);
  recorder.take(exit_at(9));
  const EvaluatedTrial trial = recorder.finish({}, "");
  REQUIRE(trial.outcome.reasons.size() == 1);
  CHECK(trial.outcome.reasons[0].code == "too_many_records");
}

}  // namespace
}  // namespace mstune::coordinator
