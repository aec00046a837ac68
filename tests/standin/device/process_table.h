// Which living processes use which device: one small file per process and device below the state
// directory, read and changed under one lock.
//
// A process that died without saying so is dropped when somebody looks. The start time tells it
// from a later process with the same pid; a zombie counts as dead, for its memory is free.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace standin::device {

struct Usage {
  pid_t pid = 0;
  std::string name;  // as /proc/<pid>/comm has it
  std::uint64_t bytes = 0;
};

// The start time, in clock ticks since boot, from the text of /proc/<pid>/stat, whose second field
// may contain spaces and ')'. Nothing for a zombie or a text that is none.
std::optional<std::uint64_t> start_ticks(std::string_view proc_stat);

class ProcessTable {
 public:
  explicit ProcessTable(const std::string& state_directory)
      : directory_(state_directory + "/processes") {}

  // Of the calling process. False when the directory cannot be written.
  [[nodiscard]] bool attach(int logic_id) const;
  void detach(int logic_id) const;
  void set_bytes(int logic_id, std::uint64_t bytes) const;

  // The living ones, by pid.
  [[nodiscard]] std::vector<Usage> usages(int logic_id) const;

 private:
  [[nodiscard]] std::string entry(int logic_id, pid_t pid) const;

  std::string directory_;
};

}  // namespace standin::device
