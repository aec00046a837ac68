// The steps of one trial: every record once, each with its process.
//
// The same record reaches us from several places: stdout, run/ and debug/. Equal in every field and
// of one process it is one; one on stdout that no process can be told of is the copy of any record
// that equals it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "coordinator/record_log.h"
#include "coordinator/record_processes.h"

namespace mstune::coordinator {

// One object in one process: what a run of step numbers belongs to.
struct ProcessObject {
  ObjectId object;
  std::uint64_t pid = 0;
  friend auto operator<=>(const ProcessObject&, const ProcessObject&) = default;
};

// Two different records for one (process, object, step, api).
struct Conflict {
  std::size_t kept = 0;
  std::size_t other = 0;
};

class StepSet {
 public:
  // `log` must outlive this.
  explicit StepSet(const RecordLog& log);

  [[nodiscard]] const RecordLog& log() const { return log_; }
  // Numbers of records in the log, by process, object, step and api; of equal or conflicting ones
  // the one that came first.
  [[nodiscard]] const std::vector<std::uint32_t>& records() const { return records_; }
  [[nodiscard]] std::uint64_t pid(std::size_t record) const { return pids_.pid(record); }
  [[nodiscard]] ProcessObject object(std::size_t record) const {
    return {log_.shape(record).object, pid(record)};
  }
  // Steps that two different records claim: how many, and the first of them.
  [[nodiscard]] std::uint64_t conflict_count() const { return conflict_count_; }
  [[nodiscard]] const std::optional<Conflict>& first_conflict() const { return first_conflict_; }
  // Different processes; "not known" is one of them.
  [[nodiscard]] std::uint64_t processes() const { return processes_; }

 private:
  void drop_copies_without_process();
  void sort();
  void merge();
  [[nodiscard]] bool same_step(std::size_t left, std::size_t right) const;

  const RecordLog& log_;
  RecordProcesses pids_;
  std::vector<std::uint32_t> records_;
  std::uint64_t conflict_count_ = 0;
  std::optional<Conflict> first_conflict_;
  std::uint64_t processes_ = 0;
};

}  // namespace mstune::coordinator
