// Reads temperature, power and clock of some chips, without anybody waiting for it.
//
// Who asks for it sees to it that no trial runs on them meanwhile.
#pragma once

#include <optional>
#include <vector>

#include "agent/devices.h"
#include "agent/environment.h"
#include "agent/npu_smi_run.h"
#include "common/time.h"
#include "protocol/messages.h"

namespace mstune::agent {

// The chips to read and the environment for npu-smi. No chips: there is nothing to read.
struct Meters {
  std::vector<Chip> chips;
  Environment environment;
};

class MeterLook {
 public:
  // Begins with the first card.
  MeterLook(Meters meters, TimePoint now);

  // Goes on to the next card. True when it is over: all were read, or npu-smi failed or took longer
  // than 5 s, after which it is asked no further.
  bool step(TimePoint now);

  // By device; those that are not known are left out.
  [[nodiscard]] const std::vector<protocol::DeviceReading>& readings() const { return readings_; }

  // Call step() when one of them is readable, and at the deadline.
  [[nodiscard]] std::vector<int> descriptors() const;
  [[nodiscard]] TimePoint deadline() const { return run_ ? run_->deadline() : kNever; }

 private:
  void begin_next(TimePoint now);
  void take(int card);

  Meters meters_;
  std::vector<int> cards_;  // those that are to be read, the current one last
  std::optional<NpuSmiRun> run_;
  std::vector<protocol::DeviceReading> readings_;
};

}  // namespace mstune::agent
