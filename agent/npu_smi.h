// Runs npu-smi: once while the agent starts, then before trials, without anybody waiting for it.
//
// Knows nothing of slots. One look at the table of processes at a time; who asks for one while
// another runs gets the next.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/device_gate.h"
#include "agent/devices.h"
#include "agent/environment.h"
#include "agent/npu_smi_run.h"
#include "common/message.h"
#include "common/time.h"

namespace mstune::agent {

// What npu-smi knows of the box.
struct ChipFacts {
  std::vector<Chip> chips;
  std::string driver_version;
  std::optional<Message> unknown;  // why nothing is known: npu-smi is not there, or fails
};

// Waits for npu-smi, at most 20 s for each of two calls.
ChipFacts look_at_chips(const Environment& environment);

class UsageLooks {
 public:
  explicit UsageLooks(Environment environment) : environment_(std::move(environment)) {}

  // Where somebody may work on one of these chips, the use of its AI cores is read as well.
  void watch(std::set<ChipPlace> chips, std::uint64_t context_memory_mb) {
    watched_ = std::move(chips);
    context_memory_mb_ = context_memory_mb;
  }
  // Begins a look at `when`, or sooner where somebody else asked for that, unless one is under way.
  void ask(TimePoint when);
  // Ends the one that is under way, which then says nothing.
  void cancel();
  // Begins and ends looks. Call it when a descriptor is readable and at the deadline.
  void step(TimePoint now);
  [[nodiscard]] const std::optional<UsageLook>& last() const { return last_; }

  [[nodiscard]] std::vector<int> descriptors() const;
  [[nodiscard]] TimePoint deadline() const;

 private:
  void begin(TimePoint now);
  void begin_next_usage(TimePoint now);
  void take(TimePoint now);

  Environment environment_;
  std::set<ChipPlace> watched_;
  std::uint64_t context_memory_mb_ = 0;
  std::optional<NpuSmiRun> run_;
  std::optional<UsageLook> look_;   // under way: what it saw so far
  std::vector<ChipPlace> to_read_;  // AI cores, the current one last
  TimePoint due_ = kNever;
  std::optional<UsageLook> last_;
};

}  // namespace mstune::agent
