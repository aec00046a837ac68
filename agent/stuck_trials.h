// Trials that are over but for processes that could not be killed (state D): when may their devices
// be used again? Pure: who looks at the processes says whether they are alive.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "common/os/tree_ending.h"
#include "common/time.h"
#include "protocol/messages.h"

namespace mstune::agent {

class StuckTrials {
 public:
  // `processes` are those that are left of the trial, at least one.
  void add(const protocol::TrialKey& key, const std::vector<os::ProcessInfo>& processes,
           TimePoint now);

  // True while the process is there and no zombie.
  using IsAlive = std::function<bool(const os::ProcessKey& process)>;
  // Looks when it is time to; returns the trials of which nothing is left any more, once each.
  std::vector<protocol::TrialKey> look(const IsAlive& is_alive, TimePoint now);
  // kNever while there are none.
  [[nodiscard]] TimePoint deadline() const { return next_look_; }

 private:
  std::map<protocol::TrialKey, std::vector<os::ProcessKey>> trials_;
  TimePoint next_look_ = kNever;
};

}  // namespace mstune::agent
