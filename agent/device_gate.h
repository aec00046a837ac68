// Whether a trial may begin on its devices, or somebody else is on them. Pure.
//
// The server shows it what npu-smi saw; it says to begin, to look (again), or to give up.
#pragma once

#include <optional>
#include <vector>

#include "agent/devices.h"
#include "common/message.h"
#include "common/time.h"

namespace mstune::agent {

struct GateRules {
  Duration wait_max = std::chrono::minutes(10);  // for devices that somebody else uses
  Duration look_again = std::chrono::seconds(1);
  Duration look_age_max = std::chrono::seconds(2);  // since it ended: an older look says nothing
};

// A look at the table of processes.
struct UsageLook {
  TimePoint begun;
  TimePoint ended;                               // npu-smi takes seconds on some boxes
  std::optional<std::vector<DeviceUser>> users;  // empty: nobody knows
};

struct GateAnswer {
  enum class What { begin, look, give_up };
  What what = What::begin;
  TimePoint look_at = kNever;   // look: then
  std::optional<Message> tell;  // for the person, once; give_up: why
};

// Of one trial whose devices are free of our own trials.
class DeviceGate {
 public:
  // The client waits no longer than `own_wait`, whatever the rules; zero: as they say.
  DeviceGate(std::vector<int> devices, TimePoint now, Duration own_wait = Duration::zero())
      : devices_(std::move(devices)), asked_(now), own_wait_(own_wait) {}

  GateAnswer ask(const GateRules& rules, const std::vector<Chip>& chips,
                 const std::optional<UsageLook>& last, TimePoint now);

 private:
  [[nodiscard]] bool has_own_wait(const GateRules& rules) const {
    return own_wait_ > Duration::zero() && own_wait_ < rules.wait_max;
  }

  std::vector<int> devices_;
  TimePoint asked_;  // looks of before may have seen our own last trial
  Duration own_wait_;
  std::optional<TimePoint> busy_since_;
};

}  // namespace mstune::agent
