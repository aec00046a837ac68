// The single gates that the evaluation of a trial puts together. Pure.
//
// Each adds its reasons and warnings to `result` and decides nothing else.
#pragma once

#include <cstdint>
#include <string_view>

#include "coordinator/evaluation.h"

namespace mstune::coordinator {

// The retained records of one object: [begin, end) of StepSet::records().
struct ObjectRange {
  ProcessObject object;
  std::size_t begin = 0;
  std::size_t end = 0;

  [[nodiscard]] std::size_t size() const { return end - begin; }
};

// True for a record that is not warm-up.
inline bool is_retained(const RecordLog& log, std::size_t record, const Gates& gates) {
  return log.step(record) >= Integer{gates.drop_first};
}

// Malformed records, and steps with two different records.
void check_log(const StepSet& steps, TrialEvaluation& result);

// Mode and return values of all retained records.
void check_retained(const StepSet& steps, std::string_view expected_mode, const Gates& gates,
                    TrialEvaluation& result);

// Intervals that overlap; touching is not overlapping.
void check_overlap(const StepSet& steps, const ObjectRange& range, TrialEvaluation& result);

// Numbers that are missing between the warm-up and the last step.
void note_gaps(const StepSet& steps, const ObjectRange& range, const Gates& gates,
               TrialEvaluation& result);

}  // namespace mstune::coordinator
