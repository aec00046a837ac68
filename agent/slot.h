// A place for one trial at a time: a device, or the whole machine where device selection is left
// alone.
#pragma once

#include <optional>

#include "common/time.h"
#include "protocol/agent_messages.h"

namespace mstune::agent {

struct Slot {
  std::optional<int> device;                 // logic id
  std::optional<protocol::TrialKey> holder;  // empty: free
  TimePoint held_since{};
  bool unusable = false;  // processes on it could not be ended
};

// As it is reported to whoever asks.
protocol::DeviceCondition condition_of(const Slot& slot, TimePoint now);

}  // namespace mstune::agent
