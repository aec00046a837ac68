// A campaign that faults are let loose on: an agent on a TCP port of this machine, a program that
// writes STEP lines without any toolkit, and the summary that must come out whatever happened.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/system/campaign.h"

namespace mstune::test {

class FaultPlace {
 public:
  // The agent gets these options besides where to listen and its working directory.
  explicit FaultPlace(std::vector<std::string> agent_options = {});
  ~FaultPlace();
  FaultPlace(const FaultPlace&) = delete;
  FaultPlace& operator=(const FaultPlace&) = delete;

  Workplace& place() { return place_; }
  [[nodiscard]] std::filesystem::path directory() const { return place_.directory(); }

  void start_agent();
  // SIGKILL, and waits until it is gone. Its trials are not told.
  void kill_agent();
  // SIGTERM; returns the exit status.
  int stop_agent();
  Running& agent() { return *agent_; }
  [[nodiscard]] int port() const { return port_; }
  // What it has open, as /proc counts it.
  [[nodiscard]] std::size_t agent_descriptors() const;

  // Writes target.json for this port: the agent's own, or that of a proxy before it.
  void aim_at(int port) const;
  // A program that writes `steps` STEP lines, `pause_ms` apart, to plog and to nothing else.
  std::string steps_command(int steps, int pause_ms) const;

  // `mstune tune` against target.json: two candidates, a fixed order, more retries than faults.
  Running start(const std::string& run_command, std::vector<std::string> more = {});
  // The same, going on with the run directory.
  Running resume(const std::string& run_command, std::vector<std::string> more = {});

  // Nothing of any trial is left: no process, no directory at the agent, no temporary file.
  [[nodiscard]] bool is_tidy() const;
  // Without what depends on time and faults: wall times, process numbers, attempts.
  [[nodiscard]] nlohmann::json comparable_summary() const;

 private:
  Workplace place_;
  std::vector<std::string> agent_options_;
  int port_ = 0;
  std::unique_ptr<Running> agent_;
};

// The summary of steps_command(steps, …) where nothing went wrong. Measured once for each length.
const nlohmann::json& undisturbed_summary(int steps);

// Normally a bound for the normal test command; with MSTUNE_TEST_LONG set, many times that.
int how_many(int normally);

}  // namespace mstune::test
