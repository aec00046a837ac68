// Which process wrote each record of a log.
//
// The header's pid says it, with two exceptions. Where only the first record of a file disagrees
// with the pid in the file's name, the name is right: a forked child writes its first line with its
// parent's pid. (Where more disagree the headers are right: an older CANN writes children into
// their parent's file.) Where a record has no header, the file's name says it; where that says
// nothing either, as on stdout, the process is not known and counts as 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "coordinator/record_log.h"

namespace mstune::coordinator {

class RecordProcesses {
 public:
  // `log` must outlive this and not grow.
  explicit RecordProcesses(const RecordLog& log);

  [[nodiscard]] std::uint64_t pid(std::size_t record) const {
    if (!corrected_.empty()) {
      if (const auto found = corrected_.find(record); found != corrected_.end()) {
        return found->second;
      }
    }
    return pids_[log_.shape_number(record)];
  }
  // False where the 0 stands for "nothing says it".
  [[nodiscard]] bool known(std::size_t record) const { return known_[log_.shape_number(record)]; }
  [[nodiscard]] bool all_known() const { return all_known_; }

 private:
  void correct_first_records();

  const RecordLog& log_;
  std::vector<std::uint64_t> pids_;  // by the number of the shape
  std::vector<bool> known_;
  bool all_known_ = true;
  std::unordered_map<std::size_t, std::uint64_t> corrected_;
};

// "run/plog/plog-4242_20260902143015123.log" → 4242. Empty for any other name.
std::optional<std::uint64_t> pid_of_file_name(std::string_view path);

}  // namespace mstune::coordinator
