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
#include <variant>
#include <vector>

#include "common/message.h"

namespace mstune::protocol {

inline constexpr std::uint32_t kMajor = 1;
inline constexpr std::uint32_t kMinor = 0;
inline constexpr std::uint32_t kOldestMajor = 1;  // that a coordinator still speaks
inline constexpr std::uint16_t kDefaultPort = 18600;

// A coordinator pings this often, whatever else it says; a peer that was not heard for three
// periods is gone.
inline constexpr std::chrono::seconds kPingPeriod{2};
inline constexpr std::chrono::seconds kSilenceMax = 3 * kPingPeriod;

// Bytes that need not be text: packed as MessagePack's bin.
struct Bytes {
  std::string value;
  friend bool operator==(const Bytes&, const Bytes&) = default;
};

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

// ---- events of a trial, numbered from 0 in each attempt ----
struct Started {
  std::uint64_t pid = 0;
  std::int64_t wall_us = 0;  // agent's wall clock, microseconds since 1970
  std::string program;       // the resolved executable
};
struct StepLine {
  std::string source;  // path below the trial's directory
  std::uint64_t line = 0;
  Bytes text;
};
struct Notice {
  Message what;
};
struct TrialFile {
  std::string path;  // below the trial's directory
  std::uint64_t size = 0;
};
// What a device's meters show, as npu-smi prints it; empty where that is not told.
struct DeviceReading {
  std::int32_t device = -1;  // logic id
  std::string temperature_c;
  std::string power_w;
  std::string clock_mhz;  // of the AI cores
  friend bool operator==(const DeviceReading&, const DeviceReading&) = default;
};
// The last event of a trial: its processes are gone and everything they wrote has been read.
struct Exited {
  bool started = false;
  std::int32_t exit_code = 0;  // negative: the signal that ended it
  std::string cause;           // kCause...: why it ended
  Message detail;              // for people; empty where cause is "exit"
  std::uint64_t run_us = 0;    // from start to the end of the process
  std::vector<TrialFile> files;
  std::uint64_t output_dropped_bytes = 0;
  std::string output_tail;                     // the last lines of its output
  std::vector<DeviceReading> readings_before;  // of its devices, before the program was started
  std::vector<DeviceReading> readings_after;   // and when its processes were gone
};
using Event = std::variant<Started, StepLine, Notice, Exited>;

inline constexpr const char* kCauseExit = "exit";                  // it ended by itself
inline constexpr const char* kCauseTimeout = "timeout";            // its time was over
inline constexpr const char* kCauseWait = "wait_timeout";          // it waited too long to begin
inline constexpr const char* kCauseCancelled = "cancelled";        // the coordinator asked
inline constexpr const char* kCauseNotStarted = "not_started";     // it could not be started
inline constexpr const char* kCauseLost = "coordinator_lost";      // the grace time was over
inline constexpr const char* kCauseDeviceBusy = "device_busy";     // somebody else kept its device
inline constexpr const char* kCauseTooMuchPlog = "too_much_plog";  // the disk was filling up

// Instead of names, which have no slash: something is built on the agent's machine, or sent from
// it.
inline constexpr const char* kHeldByMoves = "/moves";

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
  std::string state;  // kState...
  std::uint64_t events = 0;
  // While queued: whose trials have the devices, for people; or kHeldByMoves.
  std::string held_by = {};
};
inline constexpr const char* kStateQueued = "queued";
inline constexpr const char* kStateRunning = "running";
inline constexpr const char* kStateFinished = "finished";
inline constexpr const char* kStateLost = "lost";  // this agent knows nothing of that trial

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
