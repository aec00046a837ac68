#include "coordinator/evaluation.h"

#include <algorithm>
#include <array>
#include <csignal>

#include <fmt/format.h>

#include "coordinator/inference/warmup.h"
#include "coordinator/step_gates.h"

namespace mstune::coordinator {
namespace {

constexpr double kMicrosecondsPerSecond = 1e6;

constexpr std::array<std::string_view, 11> kGateCodes{
    "not_started",   "exit_status",       "killed",      "malformed_record",
    "conflict",      "mode_mismatch",     "step_failed", "main_object_absent",
    "too_few_steps", "overlapping_steps", "no_record"};

// What a signal is called, where it has a common name.
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

// Steps of one object stand together and ascend, so those from drop_first on are a range.
std::vector<ObjectRange> retained_ranges(const StepSet& steps, const Gates& gates) {
  const auto& records = steps.records();
  std::vector<ObjectRange> ranges;
  for (std::size_t at = 0; at < records.size(); ++at) {
    const ProcessObject object = steps.object(records[at]);
    if (!is_retained(steps.log(), records[at], gates)) {
      continue;
    }
    if (ranges.empty() || ranges.back().object != object) {
      ranges.push_back({object, at, at});
    }
    ranges.back().end = at + 1;
  }
  return ranges;
}

std::optional<ObjectRange> main_range(const StepSet& steps, const Gates& gates) {
  std::optional<ObjectRange> main;
  for (const ObjectRange& range : retained_ranges(steps, gates)) {
    if (gates.main_object && range.object.object != *gates.main_object) {
      continue;
    }
    if (!main || range.size() > main->size() ||
        (range.size() == main->size() && range.object < main->object)) {
      main = range;
    }
  }
  return main;
}

// Objects of the main one's process alone: other processes are told of anyway.
void note_equal_object(const StepSet& steps, const ObjectRange& main, const Gates& gates,
                       TrialEvaluation& result) {
  if (gates.main_object) {
    return;
  }
  for (const ObjectRange& range : retained_ranges(steps, gates)) {
    if (range.object != main.object && range.size() == main.size() &&
        range.object.pid == main.object.pid) {
      result.signs.equal_object = range.object.object;
      return;
    }
  }
}

void note_signs(const StepSet& steps, TrialEvaluation& result) {
  const RecordLog& log = steps.log();
  std::optional<Integer> last;
  for (const std::uint32_t record : steps.records()) {
    last = std::max(last.value_or(log.end_us(record)), log.end_us(record));
  }
  if (last) {
    result.signs.last_end_s = static_cast<double>(*last) / kMicrosecondsPerSecond;
  }
  result.signs.from_cache =
      std::any_of(log.events().begin(), log.events().end(),
                  [](const EventEntry& event) { return event.kind == EventKind::cache_hit; });
}

void note_absence(const StepSet& steps, const Gates& gates, TrialEvaluation& result) {
  if (gates.main_object && !steps.records().empty()) {
    result.reasons.push_back(
        {"main_object_absent",
         message("evaluation.main_object_absent",
                 "no record of {} is left after the warm-up: see steps.csv for the objects that "
                 "were executed, and --main-graph",
                 name(*gates.main_object))});
  } else if (!steps.records().empty()) {
    result.reasons.push_back(
        {"too_few_steps",
         message("evaluation.only_warm_up",
                 "all {} steps are warm-up (below step {}), at least {} more are needed",
                 steps.records().size(), gates.drop_first, gates.min_steps)});
  } else if (steps.log().malformed_count() == 0) {
    result.reasons.push_back(
        {"no_record", message("evaluation.no_record", "no STEP record at all")});
  }
}

// --drop-first auto: the number of the first settled step of the object with most steps; where
// there is none, the fixed number.
std::uint64_t end_of_warm_up(const StepSet& steps, const Gates& gates, TrialEvaluation& result) {
  Gates all = gates;
  all.drop_first = 0;
  const auto main = main_range(steps, all);
  if (!main) {
    return gates.drop_first;
  }
  std::vector<double> costs;
  for (std::size_t at = main->begin; at < main->end; ++at) {
    costs.push_back(static_cast<double>(steps.log().cost_us(steps.records()[at])));
  }
  if (const auto unsettled = steps_before_settling(costs)) {
    const Integer first = steps.log().step(steps.records()[main->begin + *unsettled]);
    return static_cast<std::uint64_t>(std::max(first, Integer{0}));
  }
  result.warnings.push_back(
      message("evaluation.never_settled",
              "the cost of {} never settles within 2 % over 10 steps in the first half of its {} "
              "steps: the steps below {} are taken as its warm-up",
              name(main->object.object), costs.size(), gates.drop_first));
  return gates.drop_first;
}

void judge(const StepSet& steps, std::string_view expected_mode, Gates gates,
           TrialEvaluation& result) {
  if (gates.drop_auto) {
    gates.drop_first = end_of_warm_up(steps, gates, result);
  }
  result.drop_first = gates.drop_first;
  const auto& records = steps.records();
  result.step_count = records.size();
  result.processes = steps.processes();
  note_signs(steps, result);
  check_log(steps, result);
  check_retained(steps, expected_mode, gates, result);
  const auto main = main_range(steps, gates);
  if (!main) {
    note_absence(steps, gates, result);
    return;
  }
  result.main_object = main->object;
  if (main->size() < gates.min_steps) {
    result.reasons.push_back(
        {"too_few_steps",
         message("evaluation.too_few_steps",
                 "{} steps of {} after the warm-up, at least {} are needed: let the program run "
                 "longer or lower --min-steps",
                 main->size(), name(main->object.object), gates.min_steps)});
  }
  check_overlap(steps, *main, result);
  note_gaps(steps, *main, gates, result);
  note_equal_object(steps, *main, gates, result);
  if (steps.processes() > 1) {
    result.warnings.push_back(
        message("evaluation.several_processes",
                "{} processes wrote records; each counts apart, and {} of process {} is compared",
                steps.processes(), name(main->object.object), main->object.pid));
  }
  result.start_s =
      static_cast<double>(steps.log().start_us(records[main->begin])) / kMicrosecondsPerSecond;
  result.costs_us.reserve(main->size());
  for (std::size_t at = main->begin; at < main->end; ++at) {
    result.costs_us.push_back(steps.log().cost_us(records[at]));
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
    judge(steps, expected_mode, gates, result);
  }
  result.valid = result.reasons.empty();
  return result;
}

Gates overridden(Gates gates, const GivenGates& given) {
  if (given.drop_first) {
    gates.drop_first = *given.drop_first;
  }
  gates.drop_auto = given.drop_auto || (gates.drop_auto && !given.drop_first);
  gates.min_steps = given.min_steps.value_or(gates.min_steps);
  if (given.main_object) {
    gates.main_object = given.main_object;
  }
  return gates;
}

TrialEvaluation evaluate_unrun(const TrialOutcome& outcome) {
  const RecordLog log;
  return evaluate(StepSet(log), {}, outcome, {});
}

bool is_gate_code(std::string_view code) {
  return std::find(kGateCodes.begin(), kGateCodes.end(), code) != kGateCodes.end();
}

}  // namespace mstune::coordinator
