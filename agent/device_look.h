// What `npu-smi info` says of the devices, for the facts about a machine.
#pragma once

#include <optional>
#include <vector>

#include "agent/environment.h"
#include "agent/npu_smi_run.h"
#include "common/box_facts.h"
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
  [[nodiscard]] TimePoint deadline() const;

 private:
  std::optional<NpuSmiRun> run_;  // empty: it could not be started
  bool over_ = false;
};

}  // namespace mstune::agent
