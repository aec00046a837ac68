#include "coordinator/step_gates.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace mstune::coordinator {
namespace {

// What GE writes where a step ended early: no code of its own.
bool is_abort(Integer ret) {
  return ret == Integer{UINT32_MAX};
}

// A program that runs one step after another overlaps once at most, where the clock was set back:
// by how much; 0 where it is not so.
Integer clock_step_us(const StepSet& steps, const ObjectRange& range) {
  constexpr std::size_t kEnough = 10;  // steps, so that one overlap is an exception
  const RecordLog& log = steps.log();
  const auto& records = steps.records();
  Integer back = 0;
  std::size_t overlaps = 0;
  for (std::size_t at = range.begin + 1; at < range.end; ++at) {
    const Integer over = log.end_us(records[at - 1]) - log.start_us(records[at]);
    if (over > 0) {
      back = over;
      ++overlaps;
    }
  }
  return overlaps == 1 && range.size() >= kEnough ? back : Integer{0};
}

}  // namespace

void check_log(const StepSet& steps, TrialEvaluation& result) {
  const RecordLog& log = steps.log();
  for (const MalformedEntry& entry : log.malformed()) {
    result.signs.clock_went_back |= entry.why.id == "step.ends_before_start";
    result.reasons.push_back(
        {"malformed_record", message("evaluation.malformed_record", "{}:{}: malformed record: {}",
                                     entry.source, entry.line, entry.why)});
  }
  if (log.malformed_count() > log.malformed().size()) {
    result.reasons.push_back(
        {"malformed_record",
         message("evaluation.more_malformed_records", "and {} more malformed records",
                 log.malformed_count() - log.malformed().size())});
  }
  if (const auto& conflict = steps.first_conflict()) {
    const auto is_on_stdout = [&log](std::size_t record) {
      return log.sources()[log.shape(record).source] == "stdout.log";
    };
    result.signs.conflict_on_stdout = is_on_stdout(conflict->kept) && is_on_stdout(conflict->other);
    result.reasons.push_back(
        {"conflict",
         message("evaluation.conflict",
                 "{} and {} are two different records of step {} of {}, process {}{}",
                 log.place(conflict->kept), log.place(conflict->other), log.step(conflict->kept),
                 name(log.shape(conflict->kept).object), steps.pid(conflict->kept),
                 steps.conflict_count() == 1
                     ? std::string{}
                     : fmt::format(" (the first of {} such steps)", steps.conflict_count()))});
  }
}

void check_retained(const StepSet& steps, std::string_view expected_mode, const Gates& gates,
                    TrialEvaluation& result) {
  const RecordLog& log = steps.log();
  std::uint64_t other_mode = 0;
  std::uint64_t failed = 0;
  std::optional<std::size_t> first_other;
  std::optional<std::size_t> first_failed;
  for (const std::uint32_t record : steps.records()) {
    if (!is_retained(log, record, gates)) {
      continue;
    }
    const RecordShape& shape = log.shape(record);
    if (log.modes()[shape.mode] != expected_mode) {
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
                 other_mode, log.modes()[log.shape(*first_other).mode], expected_mode,
                 log.place(*first_other))});
  }
  if (first_failed) {
    const RecordShape& shape = log.shape(*first_failed);
    const bool says_nothing = shape.ret == 0 || is_abort(shape.ret);
    result.signs.error = says_nothing && shape.sync_ret != 0 ? shape.sync_ret : shape.ret;
    result.reasons.push_back(
        {"step_failed",
         message("evaluation.step_failed",
                 "{} steps failed, the first with ret={} sync_ret={} (at {}): look into the "
                 "program's own log for the error",
                 failed, shape.ret, shape.sync_ret, log.place(*first_failed))});
  }
}

void check_overlap(const StepSet& steps, const ObjectRange& range, TrialEvaluation& result) {
  const RecordLog& log = steps.log();
  const auto& records = steps.records();
  std::vector<std::uint32_t> order(records.begin() + static_cast<std::ptrdiff_t>(range.begin),
                                   records.begin() + static_cast<std::ptrdiff_t>(range.end));
  const auto earlier = [&log](std::uint32_t left, std::uint32_t right) {
    const Integer left_start = log.start_us(left);
    const Integer right_start = log.start_us(right);
    return left_start != right_start ? left_start < right_start
                                     : log.cost_us(left) < log.cost_us(right);
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
    if (log.start_us(order[at]) >= log.end_us(order[at - 1])) {
      continue;
    }
    if (const Integer back_us = clock_step_us(steps, range); back_us > 0) {
      result.signs.clock_went_back = true;
      result.reasons.push_back(
          {"overlapping_steps",
           message("evaluation.clock_went_back",
                   "the clock of the machine went back by {} ms between two steps of {} ({} and "
                   "{}), so costs around there are wrong",
                   fmt::format("{:.1f}", static_cast<double>(back_us) / 1e3),
                   name(range.object.object), log.place(order[at - 1]), log.place(order[at]))});
    } else {
      result.reasons.push_back(
          {"overlapping_steps",
           message("evaluation.overlapping_steps",
                   "steps {} and {} of {} overlap in time ({} and {}), so their costs are not "
                   "those of one step at a time: let the program run one step after another, or "
                   "choose one object with --main-graph",
                   log.step(order[at - 1]), log.step(order[at]), name(range.object.object),
                   log.place(order[at - 1]), log.place(order[at]))});
    }
    return;
  }
}

void note_gaps(const StepSet& steps, const ObjectRange& range, const Gates& gates,
               TrialEvaluation& result) {
  const RecordLog& log = steps.log();
  const auto& records = steps.records();
  const Integer last = log.step(records[range.end - 1]);
  // GE counts from 0, so what is missing before the first record was lost as well: the oldest
  // files are the ones that rotation deletes.
  Integer present = 0;
  for (std::size_t at = range.begin; at < range.end; ++at) {
    if (at == range.begin || log.step(records[at]) != log.step(records[at - 1])) {
      ++present;
    }
  }
  const Integer lost = last - Integer{gates.drop_first} + 1 - present;
  if (lost > 0) {
    result.signs.lost_steps = static_cast<std::uint64_t>(lost);
    result.warnings.push_back(
        message("evaluation.lost_steps",
                "the log lost {} steps: of the steps {} to {} of {} only {} are there", lost,
                gates.drop_first, last, name(range.object.object), present));
  }
}

}  // namespace mstune::coordinator
