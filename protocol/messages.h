// What crosses the wire, as open structs. README.md beside this file describes each field.
//
// A request goes from the coordinator to the agent, a report from the agent to the coordinator.
// Unknown fields are ignored and missing ones keep the default written here, so that a newer
// minor version understands an older one and the other way round.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/message.h"
#include "protocol/limits.h"
#include "protocol/states.h"
#include "protocol/trial_events.h"
#include "protocol/version.h"

namespace mstune::protocol {

inline constexpr std::uint16_t kDefaultPort = 18600;

// A coordinator pings this often, whatever else it says; a peer that was not heard for three
// periods is gone.
inline constexpr std::chrono::seconds kPingPeriod{2};
inline constexpr std::chrono::seconds kSilenceMax = 3 * kPingPeriod;

// Names one execution of one trial by one life of one agent.
struct TrialKey {
  std::string campaign;     // the coordinator's session id, 32 hexadecimal digits
  std::uint32_t trial = 0;  // its number in the campaign, from 0
  std::uint32_t attempt = 1;
  std::string instance;  // the agent's, from its Welcome
  friend auto operator<=>(const TrialKey&, const TrialKey&) = default;
};

struct FileReference {
  std::string name;  // below the trial's om/ directory
  Bytes identity;    // of a blob in the agent's store
};

// Everything that an agent needs to run a trial.
struct TrialSpec {
  std::vector<std::string> command;  // "{om}" in a word becomes the absolute path of `om`
  bool shell = false;                // `command` is one text, for /bin/bash -c
  std::string om;                    // one of `files`, or empty
  std::vector<FileReference> files;
  bool inherit_environment = true;                 // start from the agent's own environment
  std::string cann_env;                            // a set_env.sh on the agent's machine, or empty
  std::map<std::string, std::string> environment;  // on top of all
  std::vector<std::string> unset;                  // taken out again
  std::string working_directory;                   // empty: the trial's directory
  std::uint64_t timeout_ms = 0;                    // of the run alone; 0: none
  std::uint64_t output_limit_bytes = 0;            // of stdout.log; 0: the agent's own limit
  std::vector<std::int32_t> devices;               // logic ids; empty: whichever slot is free
  bool ignore_busy = false;                        // run though somebody else uses the devices
  std::uint64_t wait_timeout_ms = 0;               // for a free device; 0: none
  std::uint32_t instances = 1;  // of the command, at the same time on the same devices
  std::string cache;            // a directory that stays over trials; empty: none
};

// ---- requests ----
struct Hello {
  std::uint32_t major = kMajor;
  std::uint32_t minor = kMinor;
  std::uint32_t oldest_major = 0;  // the sender speaks all from this one to `major`; 0: just that
  std::string software;
  std::string campaign;
  std::vector<std::string> capabilities;
  std::string cann_env;    // what the trials will use: Welcome::cann_version is about it
  bool keep_files = true;  // false: files that it brings are dropped when the campaign is over
};
struct Ping {
  std::uint64_t sequence = 0;
};
// Says what should be running. Repeating it is harmless; events are sent from `events_from`.
struct Assign {
  TrialKey key;
  TrialSpec spec;
  std::uint64_t events_from = 0;
};
struct Cancel {
  TrialKey key;
  std::string why;  // the id of a message: "timeout", "interrupted"
};
// Every event with a smaller number is on the coordinator's disk.
struct Acknowledge {
  TrialKey key;
  std::uint64_t events = 0;
};
struct Fetch {
  TrialKey key;
  std::uint32_t file = 0;  // its place in the list of the Exited event
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
};
// The coordinator has all that it wants of this trial.
struct Release {
  TrialKey key;
};
struct Goodbye {};

// ---- reports ----
struct Welcome {
  std::uint32_t major = kMajor;
  std::uint32_t minor = kMinor;
  std::string software;
  std::string instance;
  std::vector<std::string> capabilities;
  std::string host;
  std::string boot_id;
  std::string architecture;
  std::uint64_t pid = 0;
  std::vector<std::int32_t> devices;  // empty: one slot, device selection left alone
  std::vector<std::string> chips;     // of the devices, in their order; or of the box; or not known
  std::string cann_version;           // empty: not known
  std::string driver_version;         // empty: not known
  std::vector<Message> notices;       // what a person should know of this agent
};
struct Pong {
  std::uint64_t sequence = 0;
};
// Says what is: repeated until the coordinator has released the trial.
struct Status {
  TrialKey key;
  TrialState state = TrialState::unknown;
  std::uint64_t events = 0;
  WaitsFor waits_for = WaitsFor::unknown;  // while queued
  std::string held_by = {};                // while queued: whose trials have the devices
};

struct Events {
  TrialKey key;
  std::uint64_t first = 0;
  std::vector<Event> events;
};
struct FileData {  // the bytes are the message's payload
  TrialKey key;
  std::uint32_t file = 0;
  std::uint64_t offset = 0;
  bool end = false;
  Message failure;  // text is empty unless the file could not be read
};
// A request was refused or not understood.
struct Failure {
  std::string request;
  Message what;
};

}  // namespace mstune::protocol
