#include "agent/device_gate.h"

#include <algorithm>

#include <fmt/format.h>

namespace mstune::agent {
namespace {

std::string devices_text(const std::vector<int>& devices) {
  return fmt::format("{} {}", devices.size() == 1 ? "device" : "devices", fmt::join(devices, ", "));
}

}  // namespace

GateAnswer DeviceGate::ask(const GateRules& rules, const std::vector<Chip>& chips,
                           const std::optional<UsageLook>& last, TimePoint now) {
  if (!last || last->begun < asked_ || now > after(last->ended, rules.look_age_max)) {
    return {GateAnswer::What::look, now, {}};
  }
  if (!last->users) {
    return {GateAnswer::What::begin, kNever,
            message("agent.users_unknown",
                    "npu-smi tells no table of processes: whether somebody else uses the devices "
                    "is not checked")};
  }
  const std::vector<DeviceUser> users = users_of(devices_, chips, *last->users);
  if (users.empty()) {
    return {};
  }
  const Duration wait_max = has_own_wait(rules) ? own_wait_ : rules.wait_max;
  const std::string wait_text =
      fmt::format("{} ({})", duration_text(std::chrono::duration<double>(wait_max).count()),
                  has_own_wait(rules) ? "--wait-timeout" : "--busy-wait of the agent");
  if (!busy_since_) {
    busy_since_ = now;
    return {GateAnswer::What::look, after(last->ended, rules.look_again),
            message("agent.device_busy",
                    "{} is used by {}: waiting up to {} for it (--ignore-busy measures all the "
                    "same)",
                    devices_text(devices_), users_text(users), wait_text)};
  }
  if (now >= after(*busy_since_, wait_max)) {
    return {GateAnswer::What::give_up, kNever,
            message("agent.device_stayed_busy",
                    "{} was used by somebody else for {}: {}; end that, use another device, or "
                    "measure all the same (--ignore-busy)",
                    devices_text(devices_), wait_text, users_text(users))};
  }
  return {GateAnswer::What::look, after(last->ended, rules.look_again), {}};
}

}  // namespace mstune::agent
