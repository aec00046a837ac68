// Containers that a trial's command starts: they are nobody's descendants, so the runtime is asked
// to write down the container's id, and to kill it when the trial ends.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "agent/environment.h"
#include "common/os/process.h"
#include "common/time.h"

namespace mstune::agent {

// "docker run …", by podman and nerdctl as well: with a --cidfile at `file`, unless it has one
// already. Any other command as it is: what a wrapper hides is found on the device. Pure.
std::vector<std::string> with_container_file(std::vector<std::string> command,
                                             const std::filesystem::path& file);
// The file that such a command names; empty where it is another command. Pure.
std::filesystem::path container_file(const std::vector<std::string>& command);

class ContainerEnd {
 public:
  // Kills the container whose id stands in `file`, by `runtime`; nothing where there is none.
  ContainerEnd(const std::string& runtime, const std::filesystem::path& file,
               const Environment& environment, TimePoint now);

  // True when it is over; a runtime that takes longer than 20 s is ended.
  bool step(TimePoint now);
  [[nodiscard]] std::vector<int> descriptors() const;
  [[nodiscard]] TimePoint deadline() const;

 private:
  std::optional<os::Process> process_;
  TimePoint limit_ = kNever;
};

}  // namespace mstune::agent
