#include "coordinator/evaluation.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/unit/coordinator/step_text.h"

namespace mstune::coordinator {
namespace {

TrialOutcome exited(int status) {
  TrialOutcome outcome;
  outcome.exit_code = status;
  return outcome;
}

TrialEvaluation judged(const RecordLog& log, const Gates& gates = {},
                       const TrialOutcome& outcome = exited(0)) {
  return evaluate(StepSet(log), "default", outcome, gates);
}

std::vector<std::string> codes(const TrialEvaluation& evaluation) {
  std::vector<std::string> codes;
  for (const Reason& reason : evaluation.reasons) {
    CHECK_FALSE(reason.sentence.text.empty());
    CHECK(reason.sentence.text.find("{}") == std::string::npos);
    codes.push_back(reason.code);
  }
  CHECK(evaluation.valid == codes.empty());
  return codes;
}

std::vector<std::string> warnings(const TrialEvaluation& evaluation) {
  std::vector<std::string> ids;
  for (const Message& warning : evaluation.warnings) {
    ids.push_back(warning.id);
  }
  return ids;
}

using Codes = std::vector<std::string>;

TEST_CASE("evaluation: gates that are given win over the campaign's, field by field") {
  const Gates campaign{3, 7, parse_object_id("3:11"), true};
  CHECK(overridden(campaign, {}).drop_auto);
  CHECK(overridden(campaign, {}).drop_first == 3);
  CHECK(overridden(campaign, {}).min_steps == 7);
  CHECK(overridden(campaign, {}).main_object == campaign.main_object);
  const Gates numbered = overridden(campaign, {2, false, {}, {}});
  CHECK(numbered.drop_first == 2);
  CHECK_FALSE(numbered.drop_auto);
  const Gates found = overridden(Gates{}, {{}, true, 9, parse_object_id("model:4")});
  CHECK(found.drop_auto);
  CHECK(found.min_steps == 9);
  CHECK(found.main_object == parse_object_id("model:4"));
}

TEST_CASE("evaluation: a sound trial is valid and gives the costs after the warm-up") {
  RecordLog log;
  add_steps(log, kPlog, {}, 0, 6);
  const TrialEvaluation result = judged(log);
  CHECK(codes(result) == Codes{});
  CHECK(warnings(result) == Codes{});
  CHECK(result.step_count == 6);
  CHECK(result.costs_us.size() == 5);
  CHECK(result.main_object == ProcessObject{{ObjectId::Kind::model, 0, 1}, 4242});
}

TEST_CASE("evaluation: how the program ended decides first, and what is known from outside wins") {
  RecordLog log;
  add_steps(log, kPlog, {}, 0, 6);
  CHECK(codes(judged(log, {}, exited(1))) == Codes{"exit_status"});
  CHECK(codes(judged(log, {}, exited(-9))) == Codes{"killed"});
  CHECK(codes(judged(log, {}, TrialOutcome{})) == Codes{"not_started"});
  TrialOutcome timeout = exited(-9);
  timeout.reasons.push_back({"timeout", message("trial.timeout", "its time was over")});
  CHECK(codes(judged(log, {}, timeout)) == Codes{"timeout"});
  TrialOutcome unknown;
  unknown.exit_unknown = true;
  CHECK(codes(judged(log, {}, unknown)) == Codes{});
  CHECK(warnings(judged(log, {}, unknown)) == Codes{"evaluation.exit_unknown"});
}

TEST_CASE("evaluation: a trial that never ran has one reason, not a list of consequences") {
  CHECK(codes(evaluate_unrun({})) == Codes{"not_started"});
}

TEST_CASE("evaluation: min_steps counts retained steps of the main object") {
  RecordLog log;
  add_steps(log, kPlog, {}, 0, 5);
  CHECK(codes(judged(log)) == Codes{"too_few_steps"});
  add_steps(log, kPlog, {}, 0, 6);
  CHECK(codes(judged(log)) == Codes{});
  CHECK(codes(judged(log, {.drop_first = 2, .min_steps = 5, .main_object = {}})) ==
        Codes{"too_few_steps"});
  CHECK(codes(judged(log, {.drop_first = 2, .min_steps = 4, .main_object = {}})) == Codes{});
  CHECK(codes(judged(log, {.drop_first = 100, .min_steps = 0, .main_object = {}})) ==
        Codes{"too_few_steps"});
  CHECK(codes(judged(RecordLog{})) == Codes{"no_record"});
}

TEST_CASE("evaluation: one malformed record voids the trial and is named by file and line") {
  RecordLog log;
  add_steps(log, kPlog, {}, 0, 6);
  log.add(kPlog, 17, "[GE_MS_TUNE][STEP] api=x");
  const TrialEvaluation result = judged(log);
  CHECK(codes(result) == Codes{"malformed_record"});
  CHECK(result.reasons[0].sentence.text.find(std::string(kPlog) + ":17") != std::string::npos);
  CHECK(result.step_count == 6);
  CHECK(result.main_object.has_value());
}

TEST_CASE("evaluation: a conflict voids the trial and names both places") {
  RecordLog log;
  add_steps(log, kPlog, {}, 0, 6);
  StepText other;
  other.cost_us = 7;
  log.add(kPlog, 99, other.line());
  const TrialEvaluation result = judged(log);
  CHECK(codes(result) == Codes{"conflict"});
  CHECK(result.reasons[0].sentence.text.find(":99") != std::string::npos);
  CHECK(result.step_count == 6);
}

TEST_CASE("evaluation: mode and result are checked in every retained record, of any object") {
  const auto with_other = [](std::uint64_t step, const StepText& text) {
    RecordLog log;
    add_steps(log, kPlog, {}, 0, 6);
    StepText other = text;
    other.object = "model_id=2";
    other.step = step;
    log.add(kPlog, 50, other.line());
    return codes(judged(log));
  };
  StepText mode;
  mode.mode = "cv";
  CHECK(with_other(0, mode) == Codes{});
  CHECK(with_other(1, mode) == Codes{"mode_mismatch"});
  StepText ret;
  ret.results = "ret=4294967295 sync_ret=0";
  CHECK(with_other(0, ret) == Codes{});
  CHECK(with_other(1, ret) == Codes{"step_failed"});
  StepText sync;
  sync.results = "ret=0 sync_ret=-1";
  CHECK(with_other(1, sync) == Codes{"step_failed"});
}

TEST_CASE("evaluation: the main object has most retained records; ties go to the smallest") {
  const auto main_of = [](const std::vector<std::pair<StepText, std::uint64_t>>& objects) {
    RecordLog log;
    for (const auto& [text, count] : objects) {
      add_steps(log, kPlog, text, 0, count);
    }
    const auto main = judged(log).main_object;
    return main ? fmt::format("{}@{}", name(main->object), main->pid) : "-";
  };
  const auto object = [](std::string id, std::string pid = "4242") {
    StepText text;
    text.object = std::move(id);
    text.pid = std::move(pid);
    return text;
  };
  CHECK(main_of({{object("model_id=2"), 9}, {object("model_id=1"), 8}}) == "model:2@4242");
  CHECK(main_of({{object("model_id=10"), 8}, {object("model_id=9"), 8}}) == "model:9@4242");
  CHECK(main_of({{object("model_id=1"), 8}, {object("session_id=9 graph_id=9"), 8}}) == "9:9@4242");
  CHECK(main_of({{object("model_id=1", "20"), 8}, {object("model_id=1", "9"), 8}}) == "model:1@9");
  CHECK(main_of({{object("model_id=2", "9"), 8}, {object("model_id=1", "20"), 8}}) == "model:1@20");
  CHECK(main_of({{object("model_id=1"), 1}}) == "-");
}

TEST_CASE("evaluation: the main object can be picked by hand") {
  RecordLog log;
  add_steps(log, kPlog, {}, 0, 20);
  StepText second;
  second.object = "model_id=2";
  add_steps(log, kPlog, second, 0, 6);
  const auto picked = [&](std::string_view object) {
    return judged(log, {.drop_first = 1, .min_steps = 5, .main_object = parse_object_id(object)});
  };
  CHECK(picked("model:2").costs_us.size() == 5);
  CHECK(codes(picked("model:2")) == Codes{});
  CHECK(codes(picked("5:6")) == Codes{"main_object_absent"});
  CHECK_FALSE(picked("5:6").main_object.has_value());
}

TEST_CASE("evaluation: intervals of the main object may touch, not overlap") {
  const auto spaced = [](std::uint64_t distance_us) {
    RecordLog log;
    StepText text;
    for (text.step = 0; text.step < 7; ++text.step) {
      text.start_us = 1000 + text.step * distance_us;
      log.add(kPlog, text.step + 1, text.line());
    }
    return judged(log);
  };
  CHECK(codes(spaced(101)) == Codes{});
  CHECK(codes(spaced(100)) == Codes{});
  CHECK(codes(spaced(99)) == Codes{"overlapping_steps"});
  CHECK(codes(spaced(0)) == Codes{"overlapping_steps"});
}

TEST_CASE("evaluation: steps of no length neither overlap each other nor what they touch") {
  RecordLog log;
  StepText text;
  text.cost_us = 0;
  text.start_us = 500;
  for (text.step = 0; text.step < 7; ++text.step) {
    log.add(kPlog, text.step + 1, text.line());
  }
  text.cost_us = 40;
  log.add(kPlog, 8, text.line());
  CHECK(codes(judged(log)) == Codes{});
  text.step = 8;
  text.start_us = 520;
  text.cost_us = 0;
  log.add(kPlog, 9, text.line());
  CHECK(codes(judged(log)) == Codes{"overlapping_steps"});
}

TEST_CASE("evaluation: a clock that was set back is noted, and voids only what overlaps") {
  RecordLog log;
  StepText text;
  for (text.step = 0; text.step < 8; ++text.step) {
    text.start_us = text.step < 4 ? 100000 + 1000 * text.step : 1000 * text.step;
    log.add(kPlog, text.step + 1, text.line());
  }
  const TrialEvaluation result = judged(log);
  CHECK(codes(result) == Codes{});
  CHECK(warnings(result) == Codes{"evaluation.clock_stepped"});
}

TEST_CASE("evaluation: steps that the log lost are counted in a warning") {
  RecordLog log;
  add_steps(log, kPlog, {}, 0, 6);
  add_steps(log, kPlog, {}, 9, 4);
  TrialEvaluation result = judged(log);
  CHECK(codes(result) == Codes{});
  REQUIRE(warnings(result) == Codes{"evaluation.lost_steps"});
  CHECK(result.warnings[0].arguments[0] == "3");

  RecordLog tail_only;  // rotation deleted the oldest files
  add_steps(tail_only, kPlog, {}, 100, 10);
  result = judged(tail_only);
  REQUIRE(warnings(result) == Codes{"evaluation.lost_steps"});
  CHECK(result.warnings[0].arguments[0] == "99");
}

TEST_CASE("evaluation: processes are counted, and one of them is compared") {
  RecordLog log;
  for (const char* pid : {"31", "32", "33"}) {
    StepText text;
    text.pid = pid;
    add_steps(log, fmt::format("plog/run/plog/plog-{}_1.log", pid), text, 0, 10);
  }
  const TrialEvaluation result = judged(log);
  CHECK(codes(result) == Codes{});
  CHECK(result.processes == 3);
  CHECK(result.step_count == 30);
  CHECK(result.costs_us.size() == 9);
  CHECK(result.main_object->pid == 31);
  CHECK(warnings(result) == Codes{"evaluation.several_processes"});
}

TEST_CASE("evaluation: the warm-up that is found ends where the cost has settled") {
  const Gates automatic{.drop_first = 1, .min_steps = 5, .main_object = {}, .drop_auto = true};
  RecordLog log;
  StepText text;
  for (std::uint64_t step = 0; step < 40; ++step) {
    text.step = step;
    text.start_us = 10000 * step;
    text.cost_us = step < 7 ? 3000 - 250 * step : 1000 + step % 2;
    log.add(kPlog, step + 1, text.line());
  }
  const TrialEvaluation settled = judged(log, automatic);
  CHECK(codes(settled) == Codes{});
  CHECK(settled.drop_first == 7);
  CHECK(settled.costs_us.size() == 33);
  CHECK(settled.start_s == 0.07);
  CHECK(judged(log).costs_us.size() == 39);

  RecordLog restless;
  for (std::uint64_t step = 0; step < 40; ++step) {
    text.step = step;
    text.start_us = 10000 * step;
    text.cost_us = step % 2 == 0 ? 1000 : 2000;
    restless.add(kPlog, step + 1, text.line());
  }
  const TrialEvaluation unsettled = judged(restless, automatic);
  CHECK(unsettled.drop_first == 1);
  CHECK(warnings(unsettled) == Codes{"evaluation.never_settled"});
}

TEST_CASE("evaluation: steps at the ends of 64 bits are judged without wrapping") {
  RecordLog log;
  StepText text;
  text.start_us = UINT64_MAX - 100;
  text.step = UINT64_MAX;
  log.add(kPlog, 1, text.line());
  const TrialEvaluation result = judged(log, {.drop_first = 0, .min_steps = 1, .main_object = {}});
  CHECK(codes(result) == Codes{});
  CHECK(result.warnings[0].arguments[0] == "18446744073709551615");
  CHECK(codes(judged(log, {.drop_first = UINT64_MAX, .min_steps = 1, .main_object = {}})) ==
        Codes{});
}

TEST_CASE("evaluation: its own codes are told from those of others") {
  for (std::string_view code :
       {"not_started", "exit_status", "killed", "malformed_record", "conflict", "mode_mismatch",
        "step_failed", "main_object_absent", "too_few_steps", "no_record", "overlapping_steps"}) {
    CHECK(is_gate_code(code));
  }
  CHECK_FALSE(is_gate_code("timeout"));
  CHECK_FALSE(is_gate_code(""));
}

}  // namespace
}  // namespace mstune::coordinator
