#include "coordinator/trial_cause.h"

#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "common/language.h"
#include "coordinator/documents.h"
#include "tests/unit/coordinator/step_text.h"

namespace mstune::coordinator {
namespace {

constexpr std::int64_t kExitUs = 5'000'000;

// A trial that ran to its end, with its agent's facts and these reasons.
EvaluatedTrial trial_with(const std::vector<std::string>& codes) {
  EvaluatedTrial trial;
  trial.outcome.exit_code = 0;
  trial.outcome.wall_seconds = 2;
  trial.outcome.facts = {{"plog_files", std::int64_t{1}},
                         {"ge_lines", std::int64_t{1}},
                         {"agent_uid", std::int64_t{1000}},
                         {"variables_lost", std::string()},
                         {"variables_changed", std::string()},
                         {"log_free_bytes_after", std::int64_t{1} << 40U},
                         {"exit_wall_us", kExitUs}};
  for (const std::string& code : codes) {
    trial.evaluation.reasons.push_back({code, message("test.reason", "why")});
  }
  trial.evaluation.valid = codes.empty();
  return trial;
}

EvaluatedTrial silent(std::int64_t plog_files = 0) {
  EvaluatedTrial trial = trial_with({"no_record"});
  trial.outcome.facts["plog_files"] = plog_files;
  return trial;
}

EvaluatedTrial ended(int exit_code, const std::string& output, std::uint64_t steps = 0) {
  EvaluatedTrial trial = trial_with({exit_code < 0 ? "killed" : "exit_status"});
  trial.outcome.exit_code = exit_code;
  trial.outcome.output_end = output;
  trial.evaluation.step_count = steps;
  return trial;
}

EvaluatedTrial with_fact(EvaluatedTrial trial, const std::string& name, protocol::Fact fact) {
  trial.outcome.facts[name] = std::move(fact);
  return trial;
}

EvaluatedTrial with_steps(EvaluatedTrial trial, std::uint64_t steps, double last_end_s) {
  trial.evaluation.step_count = steps;
  trial.evaluation.signs.last_end_s = last_end_s;
  return trial;
}

EvaluatedTrial with_signs(EvaluatedTrial trial, const std::function<void(RecordSigns&)>& change) {
  change(trial.evaluation.signs);
  return trial;
}

CauseContext online(const std::string& command = "python3 infer.py") {
  CauseContext context;
  context.command = command;
  return context;
}

CauseContext among(std::map<std::uint64_t, std::size_t> step_counts) {
  CauseContext context = online();
  context.step_counts = std::move(step_counts);
  return context;
}

struct Row {
  const char* what;
  EvaluatedTrial trial;
  CauseContext context;
  std::string code;           // empty: none
  std::string sentence = {};  // its id, where the code has several
};

const std::string kPath = "ASCEND_PROCESS_LOG_PATH";
const std::string kMode = "GE_AUTO_MULTISTREAM_PARALLEL_MODE";
const std::string kFull =
    "[LOG_WARNING] can not write log to file, file: /x/plog-1_2.log, write_length: 3 bytes";
const std::string kNoDirectory = "[LOG_WARNING] can not create directory, directory: /x";

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const auto cause = cause_of(row.trial, row.context);
    CHECK((cause ? cause->code : "") == row.code);
    if (!cause) {
      continue;
    }
    CHECK((row.sentence.empty() || cause->sentence.id == row.sentence));
    const std::string chinese = text_in(Language::chinese, cause->sentence);
    CHECK(chinese != cause->sentence.text);
    CHECK(chinese.find("{}") == std::string::npos);
  }
}

TEST_CASE("cause: where its log went") {
  const auto lost_path = with_fact(silent(), "variables_lost", kPath + " " + kMode);
  const auto changed_path = with_fact(silent(), "variables_changed", kPath + "=/own");
  const auto as_nobody = with_fact(silent(), "program_uid", std::int64_t{65534});
  check({
      {"env -i or env -u", lost_path, online(), "log_elsewhere", "cause.log_elsewhere"},
      {"a value of its own", changed_path, online(), "log_elsewhere", "cause.log_elsewhere"},
      {"setpriv or sudo", as_nobody, online(), "log_elsewhere", "cause.log_of_other_user"},
      {"the library's warning", with_fact(silent(), "log_warning", kNoDirectory), online(),
       "log_elsewhere", "cause.log_refused"},
      {"docker run", silent(), online("docker run --rm image infer"), "not_passed_on"},
      {"ssh", silent(), online("/usr/bin/ssh box infer"), "not_passed_on"},
      {"a log of another user", with_fact(silent(1), "plog_unreadable", std::int64_t{1}), online(),
       "log_unreadable"},
      {"all arrived", silent(), online(), "no_log"},
      {"another variable was lost", with_fact(silent(), "variables_lost", kMode), online(),
       "no_log"},
      {"the agent's own user", with_fact(silent(), "program_uid", std::int64_t{1000}), online(),
       "no_log"},
      {"a log is there", with_fact(silent(1), "variables_lost", kPath), online(), "no_pass"},
      {"a program that only sounds so", silent(), online("python3 docker.py --ssh"), "no_log"},
      {"the agent told nothing",
       [] {
         EvaluatedTrial old = silent();
         old.outcome.facts.clear();
         return old;
       }(),
       online(), "no_pass"},
      {"GE wrote nothing", with_fact(silent(1), "ge_lines", std::int64_t{0}), online(), "no_ge"},
      {"it failed", with_fact(ended(1, ""), "variables_lost", kPath), online(), "program_failed"},
  });
}

TEST_CASE("cause: no record of a program that did everything else") {
  CauseContext offline = online("infer {om}");
  offline.offline = true;
  check({
      {"online", silent(1), online(), "no_pass", "hint.no_record_online"},
      {"offline", silent(1), offline, "no_pass", "hint.no_record_offline"},
      {"others have some", silent(1), among({{20, 1}}), "tail_missing"},
      {"others have none", silent(1), among({}), "no_pass"},
  });
}

TEST_CASE("cause: another mode in the records") {
  const auto other = trial_with({"mode_mismatch"});
  const auto cached = with_signs(other, [](RecordSigns& signs) { signs.from_cache = true; });
  CauseContext offline = online("docker run infer {om}");
  offline.offline = true;
  check({
      {"the variable was lost", with_fact(other, "variables_lost", kMode), online(),
       "mode_not_passed"},
      {"or changed", with_fact(other, "variables_changed", kMode + "=cv"), online(),
       "mode_not_passed"},
      {"mpirun does not pass it on", other, online("mpirun -n 2 infer"), "mode_not_passed"},
      {"the model cache", cached, online(), "graph_cached"},
      {"nothing was lost", other, online(), "other_writer", "hint.mode_mismatch_online"},
      {"a launcher offline", other, offline, "other_writer", "hint.mode_mismatch_offline"},
      {"another variable", with_fact(other, "variables_lost", kPath), online(), "other_writer"},
      {"a cache that gave the right mode",
       with_signs(trial_with({}), [](RecordSigns& signs) { signs.from_cache = true; }), online(),
       ""},
  });
}

TEST_CASE("cause: a program that left, and one that left records behind") {
  const auto left = [](EvaluatedTrial trial) {
    return with_fact(with_fact(std::move(trial), "left_running", std::int64_t{2}),
                     "left_running_names", "41 (sh), 42 (infer)");
  };
  const auto few = trial_with({"too_few_steps"});
  const auto cut = with_fact(trial_with({"malformed_record"}), "plog_cut", "[INFO] GE(1,a):20");
  check({
      {"a daemon", left(silent()), online(), "program_left"},
      {"a daemon that began", left(few), online(), "program_left"},
      {"a helper of a good run", left(trial_with({})), online(), ""},
      {"nobody was left", few, online(), "too_few_steps"},
      {"_exit", with_steps(few, 1, 4.9), among({{1, 1}, {30, 1}}), "tail_missing"},
      {"long before the end", with_steps(few, 1, 4.4), among({{1, 1}, {30, 1}}), "too_few_steps"},
      {"nobody got further", with_steps(few, 1, 4.9), among({{1, 3}}), "too_few_steps"},
      {"a cut line", cut, online(), "tail_missing"},
      {"fewer than others agree on", with_steps(trial_with({}), 40, 4.9), among({{40, 1}, {50, 2}}),
       "tail_missing"},
      {"a program that runs for a time", with_steps(trial_with({}), 40, 4.9),
       among({{40, 1}, {45, 1}, {50, 1}}), ""},
      {"a gap alone", with_steps(trial_with({}), 50, 4.5), among({{50, 3}}), ""},
      {"a signal", ended(-11, "", 20), online(), "tail_missing", "cause.ended_by_signal"},
      {"a signal before any record", ended(-11, ""), online(), "program_failed"},
  });
}

TEST_CASE("cause: a full disk, and lines that came too fast") {
  const auto gap = with_signs(trial_with({}), [](RecordSigns& signs) { signs.lost_steps = 3; });
  const auto no_room = with_fact(with_fact(trial_with({}), "plog_cut", "[INFO] G"),
                                 "log_free_bytes_after", std::int64_t{4096});
  const auto full = with_fact(trial_with({}), "log_warning", "step 3" + kFull);
  check({
      {"the warning, though it counts", full, online(), "disk_full"},
      {"no room and a cut line", no_room, online(), "disk_full"},
      {"the warning explains a gap", with_fact(gap, "log_warning", kFull), online(), "disk_full"},
      {"no room, nothing cut",
       with_fact(trial_with({}), "log_free_bytes_after", std::int64_t{4096}), online(), ""},
      {"a gap", gap, online(), "log_overflow"},
      {"no gap", trial_with({}), online(), ""},
      {"another warning", with_fact(trial_with({}), "log_warning", kNoDirectory), online(), ""},
  });
}

TEST_CASE("cause: records of two programs, of forks on stdout, of several models") {
  const auto stdout_conflict = with_signs(
      trial_with({"conflict"}), [](RecordSigns& signs) { signs.conflict_on_stdout = true; });
  auto tie = with_signs(trial_with({}), [](RecordSigns& signs) {
    signs.equal_object = ObjectId{ObjectId::Kind::model, 0, 2};
  });
  tie.evaluation.main_object = ProcessObject{{ObjectId::Kind::model, 0, 1}, 7};
  check({
      {"exec", trial_with({"conflict"}), online(), "two_programs"},
      {"forks", stdout_conflict, online(), "forks_on_stdout"},
      {"two models", tie, online(), "several_models"},
      {"one model", trial_with({}), online(), ""},
  });
  CHECK(cause_of(tie, online())->sentence.text.find("--main-graph model:2") != std::string::npos);
}

TEST_CASE("cause: codes of the device, from records first, and what ended the program") {
  const auto step = with_signs(trial_with({"step_failed", "exit_status"}),
                               [](RecordSigns& signs) { signs.error = 507014; });
  const auto unknown = with_signs(trial_with({"step_failed"}),
                                  [](RecordSigns& signs) { signs.error = 4294967295U; });
  auto in_time = ended(-15, "");
  in_time.outcome.reasons = {{"timeout", message("trial.timeout", "too long")}};
  in_time.evaluation.reasons = in_time.outcome.reasons;
  auto cancelled = ended(-9, "");
  cancelled.outcome.reasons = {{"cancelled", message("trial.cancelled", "it was")}};
  check({
      {"of a record", step, online(), "device_error", "cause.device_error"},
      {"without a name", unknown, online(), "device_error", "cause.device_error"},
      {"of the output", ended(1, "ret=507010"), online(), "device_error", "hint.device_lost"},
      {"of a program that says it ended well",
       [] {
         EvaluatedTrial trial = silent();
         trial.outcome.output_end = "507033";
         return trial;
       }(),
       online(), "device_error", "hint.device_busy"},
      {"a number that is none", ended(1, "at 0x15070331"), online(), "program_failed"},
      {"of a trial that counts",
       [] {
         EvaluatedTrial trial = trial_with({});
         trial.outcome.output_end = "507014";
         return trial;
       }(),
       online(), ""},
      {"SIGKILL", ended(-9, "", 20), online(), "out_of_memory"},
      {"137", ended(137, ""), online(), "out_of_memory"},
      {"another status", ended(136, ""), online(), "program_failed"},
      {"no signal has that number", ended(255, "", 20), online(), "program_failed"},
      {"the agent's limit", in_time, online(), "timeout"},
      {"a cancelled one", cancelled, online(), ""},
  });
  CHECK(cause_of(step, online())->sentence.text.starts_with("507014: "));
}

TEST_CASE("cause: clocks that went back are no overlap") {
  const auto overlap = trial_with({"overlapping_steps"});
  const auto went_back =
      with_signs(overlap, [](RecordSigns& signs) { signs.clock_went_back = true; });
  check({{"overlap", overlap, online(), "overlap"},
         {"a clock", went_back, online(), "clock_went_back"},
         {"neither", trial_with({"too_few_steps"}), online(), "too_few_steps"}});
}

TEST_CASE("cause: one that never ran has its reason and no cause") {
  EvaluatedTrial unrun;
  unrun.outcome.reasons = {{"not_started", message("agent.cann_env_missing", "no such file")}};
  unrun.evaluation = evaluate_unrun(unrun.outcome);
  CHECK_FALSE(cause_of(unrun, online()));
  REQUIRE(unrun.evaluation.reasons.size() == 1);
  CHECK(unrun.evaluation.reasons[0].sentence.text == "no such file");
}

TEST_CASE("cause: trial.json keeps why a trial never ran, and what the agent saw") {
  EvaluatedTrial unrun;
  unrun.outcome.reasons = {{"not_started", message("agent.cann_env_missing", "no such file")}};
  unrun.evaluation = evaluate_unrun(unrun.outcome);
  const protocol::Facts facts{{"ge_lines", std::int64_t{1}}, {"log_warning", "x"}};
  unrun.outcome.facts = facts;
  const SavedTrial saved = parse_trial(trial_json(unrun, ProgramOutput{0, ""}), "t");
  CHECK(saved.outcome.facts == facts);
  const TrialEvaluation again = evaluate_unrun(saved.outcome);
  REQUIRE(again.reasons.size() == 1);
  CHECK(again.reasons[0].sentence.text == "no such file");
}

TEST_CASE("cause: a trial.json gets another cause and keeps the rest") {
  EvaluatedTrial trial = trial_with({"too_few_steps"});
  const std::string before = trial_json(trial);
  trial.evaluation.cause = Reason{"tail_missing", message("cause.tail_missing", "lost")};
  CHECK(with_cause(before, trial.evaluation.cause) == trial_json(trial));
  CHECK(with_cause(trial_json(trial), std::nullopt) == before);
}

// What the evaluation finds in records for the rules above.
RecordSigns signs_of(const std::vector<StepText>& steps, std::string_view source = kPlog) {
  RecordLog log;
  for (const StepText& step : steps) {
    log.add(source, log.size() + 1, step.line());
  }
  TrialOutcome outcome;
  outcome.exit_code = 0;
  return evaluate(StepSet(log), "default", outcome, {}).signs;
}

std::vector<StepText> row_of_steps(std::uint64_t count) {
  std::vector<StepText> steps(count);
  for (std::uint64_t at = 0; at < count; ++at) {
    steps[at].step = at;
    steps[at].start_us = 1000 * at;
  }
  return steps;
}

TEST_CASE("cause: the evaluation sees the signs") {
  const auto good = row_of_steps(20);
  CHECK(signs_of(good).last_end_s == doctest::Approx(0.0191));
  CHECK(signs_of(good).error == 0);
  CHECK_FALSE(signs_of(good).clock_went_back);
  CHECK_FALSE(signs_of(good).equal_object);

  auto back = good;
  for (std::size_t at = 10; at < back.size(); ++at) {
    back[at].start_us -= 950;  // 50 us before the end of the one before
  }
  CHECK(signs_of(back).clock_went_back);
  for (std::size_t at = 15; at < back.size(); ++at) {
    back[at].start_us -= 950;
  }
  CHECK_FALSE(signs_of(back).clock_went_back);

  auto failed = good;
  failed[7].results = "ret=507011 sync_ret=0";
  CHECK(signs_of(failed).error == 507011);
  failed[7].results = "ret=4294967295 sync_ret=507046";
  CHECK(signs_of(failed).error == 507046);

  auto models = good;
  for (StepText step : good) {
    step.object = "model_id=2";
    step.start_us += 500;
    models.push_back(step);
  }
  CHECK(signs_of(models).equal_object == ObjectId{ObjectId::Kind::model, 0, 2});
  models.pop_back();
  CHECK_FALSE(signs_of(models).equal_object);

  auto twice = good;
  twice.push_back(good[3]);
  twice.back().start_us += 7;
  CHECK_FALSE(signs_of(twice).conflict_on_stdout);
  CHECK(signs_of(twice, "stdout.log").conflict_on_stdout);
}

TEST_CASE("cause: those of a run are named with all of it in sight") {
  const auto few = with_steps(trial_with({"too_few_steps"}), 1, 4.9);
  const auto good = with_steps(trial_with({}), 30, 4.9);
  std::vector<EvaluatedTrial> trials{few, good};
  name_causes({}, trials);
  REQUIRE(trials[0].evaluation.cause);
  CHECK(trials[0].evaluation.cause->code == "tail_missing");
  CHECK_FALSE(trials[1].evaluation.cause);
}

}  // namespace
}  // namespace mstune::coordinator
