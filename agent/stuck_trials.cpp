#include "agent/stuck_trials.h"

#include <chrono>

namespace mstune::agent {
namespace {

// What hangs in the kernel tells nobody when it is let go.
constexpr Duration kStuckLookEvery = std::chrono::seconds(1);

}  // namespace

void StuckTrials::add(const protocol::TrialKey& key, const std::vector<os::ProcessInfo>& processes,
                      TimePoint now) {
  std::vector<os::ProcessKey>& left = trials_[key];
  for (const os::ProcessInfo& process : processes) {
    left.push_back(process.key);
  }
  if (next_look_ == kNever) {
    next_look_ = after(now, kStuckLookEvery);
  }
}

std::vector<protocol::TrialKey> StuckTrials::look(const IsAlive& is_alive, TimePoint now) {
  std::vector<protocol::TrialKey> gone;
  if (now < next_look_) {
    return gone;
  }
  for (auto& [key, processes] : trials_) {
    std::erase_if(processes, [&](const os::ProcessKey& process) { return !is_alive(process); });
    if (processes.empty()) {
      gone.push_back(key);
    }
  }
  for (const protocol::TrialKey& key : gone) {
    trials_.erase(key);
  }
  next_look_ = trials_.empty() ? kNever : after(now, kStuckLookEvery);
  return gone;
}

}  // namespace mstune::agent
