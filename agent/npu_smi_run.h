// One run of npu-smi, without anybody waiting for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/environment.h"
#include "common/os/process.h"
#include "common/time.h"

namespace mstune::agent {

class NpuSmiRun {
 public:
  static constexpr Duration kAnswerMax = std::chrono::seconds(20);

  // Starts it; it may take `answer_max`. Throws an environment error where it cannot be started.
  NpuSmiRun(const std::vector<std::string>& arguments, const Environment& environment,
            TimePoint now, Duration answer_max = kAnswerMax);

  // True when it is over: it ended, or its time was up and it was ended.
  bool step(TimePoint now);

  [[nodiscard]] TimePoint begun() const { return begun_; }
  // Of what it printed the first MiB.
  [[nodiscard]] const std::string& output() const { return output_; }
  // As os::Exit has it, once it is over; nothing when its time was up.
  [[nodiscard]] std::optional<int> status() const { return status_; }

  // Call step() when one of them is readable, and at the deadline.
  [[nodiscard]] std::vector<int> descriptors() const;
  [[nodiscard]] TimePoint deadline() const { return deadline_; }

 private:
  void read_output();

  os::Process process_;
  TimePoint begun_;
  TimePoint deadline_;
  std::string output_;
  bool output_ended_ = false;
  std::optional<int> status_;
};

}  // namespace mstune::agent
