#include "agent/device_gate.h"

#include <algorithm>

#include <fmt/format.h>

namespace mstune::agent {

std::string devices_text(const std::vector<int>& devices) {
  return fmt::format("{} {}", devices.size() == 1 ? "device" : "devices", fmt::join(devices, ", "));
}

GateAnswer DeviceGate::ask(const GateRules& rules, const std::vector<Chip>& chips,
                           const std::optional<UsageLook>& last, TimePoint now) {
  if (!last || last->begun < asked_ || now > after(last->ended, rules.look_age_max)) {
    return {GateAnswer::What::look, std::max(now, asked_), {}};
  }
  if (!last->users) {
    return {GateAnswer::What::begin, kNever,
            message("agent.users_unknown",
                    "npu-smi tells no table of processes: whether somebody else uses the devices "
                    "is not checked")};
  }
  const std::vector<DeviceUser> users = users_of(devices_, chips, *last->users);
  std::vector<DeviceUser> working = users;
  std::erase_if(working,
                [&](const DeviceUser& user) { return !may_work(user, rules.context_memory_mb); });
  if (working.empty()) {
    return users.empty()
               ? GateAnswer{}
               : GateAnswer{GateAnswer::What::begin, kNever,
                            message("agent.device_context",
                                    "{} is held by {}, which is less than a process needs that "
                                    "works there (--context-memory): not waited for",
                                    devices_text(devices_), users_text(users)),
                            users};
  }
  if (are_idle(rules, working, *last)) {
    return {GateAnswer::What::begin, kNever,
            message("agent.device_idle",
                    "{} is held by {}, and its AI cores have been idle for {}: not waited for",
                    devices_text(devices_), users_text(working),
                    duration_text(std::chrono::duration<double>(rules.idle_for).count())),
            users};
  }
  return wait_for(rules, users_text(working), now, after(last->ended, rules.look_again));
}

GateAnswer DeviceGate::ask_held(const GateRules& rules, const std::string& holder, TimePoint now) {
  asked_ = after(now, rules.look_again);  // a look of before saw that trial
  return wait_for(rules, holder, now, asked_);
}

// Of looks one after the other, each of which saw them idle, the first and this one are far enough
// apart.
bool DeviceGate::are_idle(const GateRules& rules, const std::vector<DeviceUser>& users,
                          const UsageLook& look) {
  const bool idle = std::all_of(users.begin(), users.end(), [&](const DeviceUser& user) {
    const auto usage = look.core_usage.find(user.place);
    return usage != look.core_usage.end() && usage->second == 0;
  });
  if (!idle) {
    idle_since_.reset();
    return false;
  }
  idle_since_ = idle_since_.value_or(look.ended);
  return look.ended >= after(*idle_since_, rules.idle_for);
}

GateAnswer DeviceGate::wait_for(const GateRules& rules, const std::string& users, TimePoint now,
                                TimePoint look_at) {
  const Duration wait_max = has_own_wait(rules) ? own_wait_ : rules.wait_max;
  const std::string wait_text =
      fmt::format("{} ({})", duration_text(std::chrono::duration<double>(wait_max).count()),
                  has_own_wait(rules) ? "--wait-timeout" : "--busy-wait of the agent");
  if (!busy_since_) {
    busy_since_ = now;
    return {GateAnswer::What::look, look_at,
            message("agent.device_busy",
                    "{} is used by {}: waiting up to {} for it (--ignore-busy measures all the "
                    "same)",
                    devices_text(devices_), users, wait_text)};
  }
  if (now >= after(*busy_since_, wait_max)) {
    return {GateAnswer::What::give_up, kNever,
            message("agent.device_stayed_busy",
                    "{} was used by somebody else for {}: {}; end that, use another device, or "
                    "measure all the same (--ignore-busy)",
                    devices_text(devices_), wait_text, users)};
  }
  return {GateAnswer::What::look, look_at, {}};
}

}  // namespace mstune::agent
