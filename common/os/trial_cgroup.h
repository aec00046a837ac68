// A cgroup (v2) of its own for what one trial runs, below that of this process.
//
// What is in it can be killed at one go, however it was started. The keeper (kept_process.h) does
// without: many machines have no cgroup v2 or let nobody make one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/os/descriptor.h"

namespace mstune::os {

// The directory of this process's own cgroup v2, from the texts of /proc/self/mountinfo and
// /proc/self/cgroup; hybrid systems mount it beside the others. Nothing where there is none. Pure.
std::optional<std::filesystem::path> own_cgroup(std::string_view mountinfo,
                                                std::string_view cgroup);

class TrialCgroup {
 public:
  // Nothing where none can be made. `name` is that of its directory.
  static std::optional<TrialCgroup> make(const std::string& name);

  // It goes where it is empty.
  ~TrialCgroup();
  TrialCgroup(TrialCgroup&& other) noexcept;
  TrialCgroup& operator=(TrialCgroup&& other) noexcept;
  TrialCgroup(const TrialCgroup&) = delete;
  TrialCgroup& operator=(const TrialCgroup&) = delete;

  // Its cgroup.procs: who writes "0" to it enters.
  [[nodiscard]] int entry() const { return entry_.value(); }
  [[nodiscard]] bool is_empty() const;
  // Everybody in it. On kernels before 5.14 one by one, while nobody of them can run.
  void kill() const;

 private:
  TrialCgroup(std::filesystem::path directory, UniqueFd entry)
      : directory_(std::move(directory)), entry_(std::move(entry)) {}

  std::filesystem::path directory_;
  UniqueFd entry_;
};

}  // namespace mstune::os
