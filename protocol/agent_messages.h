// What a coordinator asks of an agent itself, beside trials and files: how it is, and to let go of
// what it stores. Plain data; the codec is elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/messages.h"

namespace mstune::protocol {

// Answered by Condition.
struct Inspect {
  std::uint64_t sequence = 0;  // comes back
};

// Drop every stored file that no trial and no campaign needs. Answered by Purged.
struct Purge {};

struct StoreCondition {
  std::uint64_t files = 0;  // whole ones
  std::uint64_t bytes = 0;  // with what broken-off uploads left
  std::uint64_t pinned_bytes = 0;
  std::uint64_t limit_bytes = 0;
  std::uint64_t free_bytes = 0;  // of its disk
};

// A process that is none of ours.
struct ForeignUser {
  std::uint64_t pid = 0;  // 0: there is none, or nobody has looked
  std::string name = {};
  std::uint64_t memory_mb = 0;  // 0: not told
};

// A place for one trial at a time.
struct DeviceCondition {
  std::int32_t device = -1;  // logic id; -1: device selection is left alone
  DeviceState state = DeviceState::unknown;
  std::string holder;            // the client whose trial has it, or empty
  std::uint32_t trial = 0;       // its number
  std::uint64_t held_for_s = 0;  // seconds
  std::string chip = {};         // empty: not known
  DeviceReading reading = {};    // its meters; no figures where nothing is known
  std::uint64_t read_ago_s = 0;  // how old that is, in seconds: nobody reads while a trial runs
  ForeignUser user = {};         // of a free one; the same holds
};

struct Condition {
  std::uint64_t sequence = 0;
  StoreCondition store;
  std::vector<DeviceCondition> devices;
  std::uint64_t queued = 0;     // trials that wait for a device
  std::uint64_t sessions = 0;   // coordinators that are connected, the asking one among them
  std::uint64_t running_s = 0;  // seconds since the agent was started
};

struct Purged {
  std::uint64_t freed_bytes = 0;
  std::uint64_t kept_bytes = 0;  // needed, or just arriving
};

}  // namespace mstune::protocol
