// Whether a trial may begin on its devices, or somebody else is on them. Pure.
//
// The server shows it what npu-smi saw; it says to begin, to look (again), or to give up.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/devices.h"
#include "common/message.h"
#include "common/time.h"

namespace mstune::agent {

// "device 3", "devices 0, 1"
std::string devices_text(const std::vector<int>& devices);

struct GateRules {
  Duration wait_max = std::chrono::minutes(10);  // for devices that somebody else uses
  Duration look_again = std::chrono::seconds(1);
  Duration look_age_max = std::chrono::seconds(2);  // since it ended: an older look says nothing
  std::uint64_t context_memory_mb = 256;            // who holds less does not work there
  Duration idle_for = std::chrono::seconds(5);      // AI cores: then their holder is not waited for
};

// A look at the table of processes.
struct UsageLook {
  TimePoint begun;
  TimePoint ended;                               // npu-smi takes seconds on some boxes
  std::optional<std::vector<DeviceUser>> users;  // empty: nobody knows
  std::map<ChipPlace, int> core_usage = {};      // percent, of the chips on which somebody may work
};

struct GateAnswer {
  enum class What { begin, look, give_up };
  What what = What::begin;
  TimePoint look_at = kNever;             // look: then
  std::optional<Message> tell;            // for the person, once; give_up: why
  std::vector<DeviceUser> accepted = {};  // begin: who holds memory and is not waited for
};

// Of one trial whose devices are free of our own trials.
class DeviceGate {
 public:
  // The client waits no longer than `own_wait`, whatever the rules; zero: as they say.
  DeviceGate(std::vector<int> devices, TimePoint now, Duration own_wait = Duration::zero())
      : devices_(std::move(devices)), asked_(now), own_wait_(own_wait) {}

  GateAnswer ask(const GateRules& rules, const std::vector<Chip>& chips,
                 const std::optional<UsageLook>& last, TimePoint now);
  // Another agent's trial has one of the devices: as where somebody else uses them.
  GateAnswer ask_held(const GateRules& rules, const std::string& holder, TimePoint now);

  [[nodiscard]] const std::vector<int>& devices() const { return devices_; }

 private:
  GateAnswer wait_for(const GateRules& rules, const std::string& users, TimePoint now,
                      TimePoint look_at);
  bool are_idle(const GateRules& rules, const std::vector<DeviceUser>& users,
                const UsageLook& look);
  [[nodiscard]] bool has_own_wait(const GateRules& rules) const {
    return own_wait_ > Duration::zero() && own_wait_ < rules.wait_max;
  }

  std::vector<int> devices_;
  TimePoint asked_;  // looks of before may have seen our own last trial
  Duration own_wait_;
  std::optional<TimePoint> busy_since_;
  std::optional<TimePoint> idle_since_;  // the users' AI cores
};

}  // namespace mstune::agent
