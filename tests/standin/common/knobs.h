// The environment variables with which a test steers the stand-in. README.md describes each; the
// real toolkit knows none of them. Read once, where a program or library begins.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace standin {

struct Fault {
  std::string what;        // abort, exec, sync, hang, kill, exit
  std::uint32_t code = 0;  // of exec and sync
  std::uint64_t step = 0;
};

struct ExecutorKnobs {
  bool deterministic = false;  // STANDIN_DETERMINISTIC
  std::uint64_t seed = 0;      // STANDIN_SEED; without it, another in each process
  double noise_step = 0.01;    // STANDIN_NOISE_STEP: relative deviation from step to step
  double noise_run = 0.005;    // STANDIN_NOISE_RUN: relative deviation from process to process
  double drift = 0;            // STANDIN_DRIFT: relative change per 1000 steps
  int warmup_steps = 1;        // STANDIN_WARMUP_STEPS
  double warmup_factor = 3;    // STANDIN_WARMUP_FACTOR: how many times longer those take
  double time_scale = 1;       // STANDIN_TIME_SCALE
  std::string corrupt;         // STANDIN_CORRUPT: the mode whose outputs are wrong
  std::vector<Fault> faults;   // STANDIN_FAULT
  int streams_free = 0;        // STANDIN_STREAMS_FREE: that a model finds; 0: enough
};

struct DeviceKnobs {
  int set_device_ms = 0;     // STANDIN_SET_DEVICE_MS: how long the first aclrtSetDevice takes
  bool device_busy = false;  // STANDIN_DEVICE_BUSY: aclrtSetDevice fails with 507033
};

struct AtcKnobs {
  int slow_ms = 0;          // STANDIN_ATC_SLOW_MS
  int memory_mib = 0;       // STANDIN_ATC_MEMORY_MIB: allocated and touched
  std::string fail;         // STANDIN_ATC_FAIL: "all", or the mode that does not build
  int workers = 2;          // STANDIN_ATC_WORKERS
  int worker_seconds = 30;  // STANDIN_ATC_WORKER_SECONDS: how long an orphan lives at most
};

ExecutorKnobs executor_knobs();
DeviceKnobs device_knobs();
AtcKnobs atc_knobs();

// "abort@3,exec:507011@4": malformed parts are left out.
std::vector<Fault> parse_faults(std::string_view text);

// The value of a variable; empty when unset.
std::string environment(const char* name);

}  // namespace standin
