// One run of `npu-smi info`, without anybody waiting for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/environment.h"
#include "common/box_facts.h"
#include "common/os/process.h"
#include "common/time.h"

namespace mstune::agent {

class DeviceLook {
 public:
  // Starts it; where it cannot be started the look is over at once.
  DeviceLook(const Environment& environment, TimePoint now);

  // True when it is over: then put() tells what was seen.
  bool step(TimePoint now);
  void put(BoxFacts& facts) const;

  [[nodiscard]] std::vector<int> descriptors() const;
  [[nodiscard]] TimePoint deadline() const { return process_ ? deadline_ : kNever; }

 private:
  std::optional<os::Process> process_;
  TimePoint deadline_;
  bool found_ = false;
  bool output_ended_ = false;
  std::string output_;
};

}  // namespace mstune::agent
