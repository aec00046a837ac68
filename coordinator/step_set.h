// The steps of one trial: every record once, each with its process.
//
// A record reaches us from several places (stdout, run/ and debug/), and its process can only be
// told with the whole file at hand. This is where both are decided.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "coordinator/record_log.h"

namespace mstune::coordinator {

// One object in one process: what a run of step numbers belongs to.
struct ProcessObject {
  ObjectId object;
  std::uint64_t pid = 0;
  friend auto operator<=>(const ProcessObject&, const ProcessObject&) = default;
};

// The process of each record. The header's pid, with two exceptions: where only the first record
// of a file disagrees with the pid in the file's name, the name is right (a forked child writes
// its first line with its parent's pid); where there is no header, the file's name says it, and 0
// stands for "nothing says it".
class RecordProcesses {
 public:
  explicit RecordProcesses(const RecordLog& log);

  [[nodiscard]] std::uint64_t pid(const RecordLog& log, std::size_t record) const;
  [[nodiscard]] bool known(const RecordLog& log, std::size_t record) const {
    return known_[log.shape_number(record)];
  }
  [[nodiscard]] bool all_known() const;

 private:
  std::vector<std::uint64_t> pids_;  // by the number of the shape
  std::vector<bool> known_;
  std::unordered_map<std::size_t, std::uint64_t> corrected_;  // records whose file name is right
};

// "plog-4242_20260902143015123.log" → 4242; the directory before it does not matter.
std::optional<std::uint64_t> pid_of_file_name(std::string_view path);

// Two different records for one (process, object, api, step).
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
  [[nodiscard]] ProcessObject object(std::size_t record) const;
  [[nodiscard]] std::uint64_t conflict_count() const { return conflict_count_; }
  [[nodiscard]] const std::vector<Conflict>& conflicts() const { return conflicts_; }  // a few
  // Different processes, one that is not known counted once.
  [[nodiscard]] std::uint64_t processes() const { return processes_; }

 private:
  void drop_copies_without_process();
  void sort_and_merge();

  const RecordLog& log_;
  RecordProcesses pids_;
  std::vector<std::uint32_t> records_;
  std::uint64_t conflict_count_ = 0;
  std::vector<Conflict> conflicts_;
  std::uint64_t processes_ = 0;
};

}  // namespace mstune::coordinator
