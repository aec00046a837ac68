#include "coordinator/evaluation.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "coordinator/inference/warmup.h"

namespace mstune::coordinator {
namespace {

constexpr double kMicrosecondsPerSecond = 1e6;

constexpr std::array<std::string_view, 11> kGateCodes{
    "not_started",   "exit_status",       "killed",      "malformed_record",
    "conflict",      "mode_mismatch",     "step_failed", "main_object_absent",
    "too_few_steps", "overlapping_steps", "no_record"};

// The retained records of one object, as a range of StepSet::records().
struct ObjectRange {
  ProcessObject object;
  std::size_t begin = 0;
  std::size_t end = 0;

  [[nodiscard]] std::size_t size() const { return end - begin; }
};

// "trial" in words: what a signal is called, where it has a common name.
std::string signal_text(int signal) {
  switch (signal) {
    case SIGKILL:
      return "SIGKILL";
    case SIGTERM:
      return "SIGTERM";
    case SIGSEGV:
      return "SIGSEGV";
    case SIGABRT:
      return "SIGABRT";
    case SIGINT:
      return "SIGINT";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    default:
      return fmt::format("signal {}", signal);
  }
}

class Judge {
 public:
  Judge(const StepSet& steps, std::string_view expected_mode, const Gates& gates)
      : steps_(steps), log_(steps.log()), expected_mode_(expected_mode), gates_(gates) {}

  void judge(TrialEvaluation& result);

 private:
  void find_warm_up(TrialEvaluation& result);
  [[nodiscard]] bool retained(std::size_t record) const {
    return log_.step(record) >= Integer{gates_.drop_first};
  }
  [[nodiscard]] std::vector<ObjectRange> retained_ranges() const;
  [[nodiscard]] std::optional<ObjectRange> main_range() const;
  void check_log(TrialEvaluation& result) const;
  void check_retained(TrialEvaluation& result) const;
  void check_overlap(const ObjectRange& range, TrialEvaluation& result) const;
  void note_gaps(const ObjectRange& range, TrialEvaluation& result) const;
  void note_absence(TrialEvaluation& result) const;

  const StepSet& steps_;
  const RecordLog& log_;
  std::string_view expected_mode_;
  Gates gates_;
};

// Steps of one object stand together and ascend, so those from drop_first on are a range.
std::vector<ObjectRange> Judge::retained_ranges() const {
  const auto& records = steps_.records();
  std::vector<ObjectRange> ranges;
  for (std::size_t at = 0; at < records.size(); ++at) {
    const ProcessObject object = steps_.object(records[at]);
    if (!retained(records[at])) {
      continue;
    }
    if (ranges.empty() || ranges.back().object != object) {
      ranges.push_back({object, at, at});
    }
    ranges.back().end = at + 1;
  }
  return ranges;
}

std::optional<ObjectRange> Judge::main_range() const {
  std::optional<ObjectRange> main;
  for (const ObjectRange& range : retained_ranges()) {
    if (gates_.main_object && range.object.object != *gates_.main_object) {
      continue;
    }
    if (!main || range.size() > main->size() ||
        (range.size() == main->size() && range.object < main->object)) {
      main = range;
    }
  }
  return main;
}

void Judge::check_log(TrialEvaluation& result) const {
  for (const MalformedEntry& entry : log_.malformed()) {
    result.reasons.push_back(
        {"malformed_record", message("evaluation.malformed_record", "{}:{}: malformed record: {}",
                                     entry.source, entry.line, entry.why.text)});
  }
  if (log_.malformed_count() > log_.malformed().size()) {
    result.reasons.push_back(
        {"malformed_record",
         message("evaluation.more_malformed_records", "and {} more malformed records",
                 log_.malformed_count() - log_.malformed().size())});
  }
  if (const auto& conflict = steps_.first_conflict()) {
    result.reasons.push_back(
        {"conflict",
         message("evaluation.conflict",
                 "{} and {} are two different records of step {} of {}, process {}{}",
                 log_.place(conflict->kept), log_.place(conflict->other), log_.step(conflict->kept),
                 name(log_.shape(conflict->kept).object), steps_.pid(conflict->kept),
                 steps_.conflict_count() == 1
                     ? std::string{}
                     : fmt::format(" (the first of {} such steps)", steps_.conflict_count()))});
  }
}

void Judge::check_retained(TrialEvaluation& result) const {
  std::uint64_t other_mode = 0;
  std::uint64_t failed = 0;
  std::optional<std::size_t> first_other;
  std::optional<std::size_t> first_failed;
  for (const std::uint32_t record : steps_.records()) {
    if (!retained(record)) {
      continue;
    }
    const RecordShape& shape = log_.shape(record);
    if (log_.modes()[shape.mode] != expected_mode_) {
      ++other_mode;
      first_other = first_other.value_or(record);
    }
    if (shape.ret != 0 || shape.sync_ret != 0) {
      ++failed;
      first_failed = first_failed.value_or(record);
    }
  }
  if (first_other) {
    result.reasons.push_back(
        {"mode_mismatch",
         message("evaluation.mode_mismatch",
                 "{} records say mode={}, not {} (first at {}): another pass wrote the mode after "
                 "the tuning pass, or the model was built for another candidate",
                 other_mode, log_.modes()[log_.shape(*first_other).mode], expected_mode_,
                 log_.place(*first_other))});
  }
  if (first_failed) {
    const RecordShape& shape = log_.shape(*first_failed);
    result.reasons.push_back(
        {"step_failed",
         message("evaluation.step_failed",
                 "{} steps failed, the first with ret={} sync_ret={} (at {}): look into the "
                 "program's own log for the error",
                 failed, shape.ret, shape.sync_ret, log_.place(*first_failed))});
  }
}

void Judge::check_overlap(const ObjectRange& range, TrialEvaluation& result) const {
  const auto& records = steps_.records();
  std::vector<std::uint32_t> order(records.begin() + static_cast<std::ptrdiff_t>(range.begin),
                                   records.begin() + static_cast<std::ptrdiff_t>(range.end));
  const auto earlier = [this](std::uint32_t left, std::uint32_t right) {
    const Integer left_start = log_.start_us(left);
    const Integer right_start = log_.start_us(right);
    return left_start != right_start ? left_start < right_start
                                     : log_.cost_us(left) < log_.cost_us(right);
  };
  if (!std::is_sorted(order.begin(), order.end(), earlier)) {
    result.warnings.push_back(
        message("evaluation.clock_stepped",
                "the steps of {} did not start in the order of their numbers: the clock of the "
                "machine was set during the trial, or steps ran at the same time",
                name(range.object.object)));
    std::sort(order.begin(), order.end(), earlier);
  }
  for (std::size_t at = 1; at < order.size(); ++at) {
    if (log_.start_us(order[at]) < log_.end_us(order[at - 1])) {
      result.reasons.push_back(
          {"overlapping_steps",
           message("evaluation.overlapping_steps",
                   "steps {} and {} of {} overlap in time ({} and {}), so their costs are not "
                   "those of one step at a time: let the program run one step after another, or "
                   "choose one object with --main-graph",
                   log_.step(order[at - 1]), log_.step(order[at]), name(range.object.object),
                   log_.place(order[at - 1]), log_.place(order[at]))});
      return;
    }
  }
}

void Judge::note_gaps(const ObjectRange& range, TrialEvaluation& result) const {
  const auto& records = steps_.records();
  const Integer last = log_.step(records[range.end - 1]);
  // GE counts from 0, so what is missing before the first record was lost as well: the oldest
  // files are the ones that rotation deletes.
  Integer present = 0;
  for (std::size_t at = range.begin; at < range.end; ++at) {
    if (at == range.begin || log_.step(records[at]) != log_.step(records[at - 1])) {
      ++present;
    }
  }
  const Integer lost = last - Integer{gates_.drop_first} + 1 - present;
  if (lost > 0) {
    result.warnings.push_back(
        message("evaluation.lost_steps",
                "the log lost {} steps: of the steps {} to {} of {} only {} are there", lost,
                gates_.drop_first, last, name(range.object.object), present));
  }
}

void Judge::note_absence(TrialEvaluation& result) const {
  if (gates_.main_object && !steps_.records().empty()) {
    result.reasons.push_back(
        {"main_object_absent",
         message("evaluation.main_object_absent",
                 "no record of {} is left after the warm-up: see steps.csv for the objects that "
                 "were executed, and --main-graph",
                 name(*gates_.main_object))});
  } else if (!steps_.records().empty()) {
    result.reasons.push_back(
        {"too_few_steps",
         message("evaluation.only_warm_up",
                 "all {} steps are warm-up (below step {}), at least {} more are needed",
                 steps_.records().size(), gates_.drop_first, gates_.min_steps)});
  } else if (log_.malformed_count() == 0) {
    result.reasons.push_back(
        {"no_record",
         message("evaluation.no_record",
                 "no STEP record at all: the tuning pass is not installed, this GE cannot record, "
                 "or the program executes in a way that is not recorded")});
  }
}

// --drop-first auto: from the number of the first settled step on, of the object with most steps.
void Judge::find_warm_up(TrialEvaluation& result) {
  const std::uint64_t fixed = std::exchange(gates_.drop_first, 0);
  const auto main = main_range();
  gates_.drop_first = fixed;
  if (!main) {
    return;
  }
  std::vector<double> costs;
  for (std::size_t at = main->begin; at < main->end; ++at) {
    costs.push_back(static_cast<double>(log_.cost_us(steps_.records()[at])));
  }
  if (const auto unsettled = steps_before_settling(costs)) {
    const Integer first = log_.step(steps_.records()[main->begin + *unsettled]);
    gates_.drop_first = static_cast<std::uint64_t>(std::max(first, Integer{0}));
  } else {
    result.warnings.push_back(
        message("evaluation.never_settled",
                "the cost of {} never settles within 2 % over 10 steps in the first half of its {} "
                "steps: the steps below {} are taken as its warm-up",
                name(main->object.object), costs.size(), fixed));
  }
}

void Judge::judge(TrialEvaluation& result) {
  if (gates_.drop_auto) {
    find_warm_up(result);
  }
  result.drop_first = gates_.drop_first;
  const auto& records = steps_.records();
  result.step_count = records.size();
  result.processes = steps_.processes();
  check_log(result);
  check_retained(result);
  const auto main = main_range();
  if (!main) {
    note_absence(result);
    return;
  }
  result.main_object = main->object;
  if (main->size() < gates_.min_steps) {
    result.reasons.push_back(
        {"too_few_steps",
         message("evaluation.too_few_steps",
                 "{} steps of {} after the warm-up, at least {} are needed: let the program run "
                 "longer or lower --min-steps",
                 main->size(), name(main->object.object), gates_.min_steps)});
  }
  check_overlap(*main, result);
  note_gaps(*main, result);
  if (steps_.processes() > 1) {
    result.warnings.push_back(
        message("evaluation.several_processes",
                "{} processes wrote records; each counts apart, and {} of process {} is compared",
                steps_.processes(), name(main->object.object), main->object.pid));
  }
  result.start_s =
      static_cast<double>(log_.start_us(records[main->begin])) / kMicrosecondsPerSecond;
  result.costs_us.reserve(main->size());
  for (std::size_t at = main->begin; at < main->end; ++at) {
    result.costs_us.push_back(log_.cost_us(records[at]));
  }
}

void judge_outcome(const TrialOutcome& outcome, TrialEvaluation& result) {
  result.reasons = outcome.reasons;
  if (!outcome.reasons.empty()) {
    return;  // they say why it ended as it did
  }
  if (outcome.exit_unknown) {
    result.warnings.push_back(message(
        "evaluation.exit_unknown", "how the program ended is not known: only its logs are here"));
  } else if (!outcome.exit_code) {
    result.reasons.push_back(
        {"not_started", message("evaluation.not_started", "the program was never started")});
  } else if (*outcome.exit_code < 0) {
    result.reasons.push_back({"killed", message("evaluation.killed", "the program was ended by {}",
                                                signal_text(-*outcome.exit_code))});
  } else if (*outcome.exit_code > 0) {
    result.reasons.push_back(
        {"exit_status", message("evaluation.exit_status", "the program ended with exit status {}",
                                *outcome.exit_code)});
  }
}

}  // namespace

TrialEvaluation evaluate(const StepSet& steps, std::string_view expected_mode,
                         const TrialOutcome& outcome, const Gates& gates) {
  TrialEvaluation result;
  judge_outcome(outcome, result);
  const bool ran = outcome.exit_code || outcome.exit_unknown;
  if (ran || steps.log().size() > 0 || steps.log().malformed_count() > 0) {
    Judge(steps, expected_mode, gates).judge(result);
  }
  result.valid = result.reasons.empty();
  return result;
}

TrialEvaluation evaluate_unrun(const TrialOutcome& outcome) {
  const RecordLog log;
  return evaluate(StepSet(log), {}, outcome, {});
}

bool is_gate_code(std::string_view code) {
  return std::find(kGateCodes.begin(), kGateCodes.end(), code) != kGateCodes.end();
}

}  // namespace mstune::coordinator
