// What happens to one attempt at a trial: events, numbered from 0. README.md describes each field.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "common/message.h"

namespace mstune::protocol {

// Bytes that need not be text: packed as MessagePack's bin.
struct Bytes {
  std::string value;
  friend bool operator==(const Bytes&, const Bytes&) = default;
};

struct Started {
  std::uint64_t pid = 0;
  std::int64_t wall_us = 0;  // agent's wall clock, microseconds since 1970
  std::string program;       // the resolved executable
};
struct StepLine {
  Bytes source;  // path below the trial's directory
  std::uint64_t line = 0;
  Bytes text;
};
// A line of GE's at its level EVENT that says what it did with the model (common/event_line.h). At
// most kEventLinesMax of them come in one attempt.
struct EventLine {
  Bytes source;
  std::uint64_t line = 0;
  Bytes text;
};
struct Notice {
  Message what;
};
struct TrialFile {
  Bytes path;  // below the trial's directory
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

// What the agent saw of a trial, by name: open, so that a new one needs no new protocol. The text
// of a program need not be UTF-8.
using Fact = std::variant<std::int64_t, std::string>;
using Facts = std::map<std::string, Fact, std::less<>>;

// The last event of a trial: its processes are gone and everything they wrote has been read.
struct Exited {
  bool started = false;
  std::int32_t exit_code = 0;  // negative: the signal that ended it
  std::string cause;           // kCause...: why it ended
  Message detail;              // for people; empty where cause is "exit"
  std::uint64_t run_us = 0;    // from start to the end of the process
  std::vector<TrialFile> files;
  std::uint64_t output_dropped_bytes = 0;
  Bytes output_tail;                           // the last lines of its output
  std::vector<DeviceReading> readings_before;  // of its devices, before the program was started
  std::vector<DeviceReading> readings_after;   // and when its processes were gone
  Facts facts;
};
using Event = std::variant<Started, StepLine, EventLine, Notice, Exited>;

inline constexpr const char* kCauseExit = "exit";                  // it ended by itself
inline constexpr const char* kCauseTimeout = "timeout";            // its time was over
inline constexpr const char* kCauseWait = "wait_timeout";          // it waited too long to begin
inline constexpr const char* kCauseCancelled = "cancelled";        // the coordinator asked
inline constexpr const char* kCauseNotStarted = "not_started";     // it could not be started
inline constexpr const char* kCauseLost = "coordinator_lost";      // the grace time was over
inline constexpr const char* kCauseDeviceBusy = "device_busy";     // somebody else kept its device
inline constexpr const char* kCauseTooMuchPlog = "too_much_plog";  // the disk was filling up

}  // namespace mstune::protocol
