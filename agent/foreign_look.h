// A look at a trial's devices right after it: is somebody on them who was not there before?
//
// Never while a trial runs there. Who asks for it sees to it that all of the trial is gone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agent/devices.h"
#include "agent/environment.h"
#include "agent/npu_smi_run.h"
#include "common/message.h"
#include "common/time.h"

namespace mstune::agent {

// What is known from before the trial. No devices: nothing is looked at.
struct ForeignCheck {
  std::vector<int> devices;
  std::vector<Chip> chips;
  std::vector<DeviceUser> before;  // who was on them, and was not waited for
  std::uint64_t context_memory_mb = 0;
  Environment environment;
};

class ForeignLook {
 public:
  ForeignLook(ForeignCheck check, TimePoint now);

  // True when it is over. Whoever is found is looked for once more: a driver may take a moment to
  // forget the trial itself. npu-smi that fails or is slow finds nobody.
  bool step(TimePoint now);
  // Why the trial does not count, once it is over; nothing where nobody was found.
  [[nodiscard]] const std::optional<Message>& finding() const { return finding_; }

  // Call step() when one of them is readable, and at the deadline.
  [[nodiscard]] std::vector<int> descriptors() const;
  [[nodiscard]] TimePoint deadline() const;

 private:
  void begin(TimePoint now);

  ForeignCheck check_;
  std::optional<NpuSmiRun> run_;
  TimePoint again_at_ = kNever;
  bool is_second_ = false;
  std::optional<Message> finding_;
};

}  // namespace mstune::agent
