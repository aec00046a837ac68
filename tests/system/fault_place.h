// A campaign that faults are let loose on: an agent on a TCP port of this machine, a program that
// writes STEP lines without any toolkit, and the summary that must come out whatever happened.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/system/campaign.h"

namespace mstune::test {

// Writes the program that steps_command() runs.
void write_steps_program(const Workplace& place);
// A program that writes `steps` STEP lines, `pause_ms` apart, to plog and to nothing else.
std::string steps_command(const Workplace& place, int steps, int pause_ms);
// A summary without what depends on time, faults and the directory of the test.
nlohmann::json comparable(const nlohmann::json& summary);
// Checks it; a failure names what differs, as JSON Patch does, rather than both of them.
void check_same(const nlohmann::json& found, const nlohmann::json& wanted);

// Where an agent runs: by itself on this machine, or behind a command that leads elsewhere.
struct AgentPlace {
  std::vector<std::string> prefix;
  std::string host = "127.0.0.1";
};

class FaultPlace {
 public:
  // The agent gets these options besides where to listen and its working directory.
  explicit FaultPlace(std::vector<std::string> agent_options = {}, AgentPlace where = {});
  ~FaultPlace();
  FaultPlace(const FaultPlace&) = delete;
  FaultPlace& operator=(const FaultPlace&) = delete;

  Workplace& place() { return place_; }
  [[nodiscard]] std::filesystem::path directory() const { return place_.directory(); }

  // With this in its environment besides what it needs. What keeps it from listening is left out
  // the next time.
  void start_agent(const Variables& fault = {});
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
  [[nodiscard]] std::string steps_command(int steps, int pause_ms) const {
    return test::steps_command(place_, steps, pause_ms);
  }

  // Writes run.sh, which runs steps_command(10, 1) as the OM that it is given says; no toolkit is
  // needed.
  void write_offline_run() const;

  // `mstune tune` against target.json: two candidates, a fixed order, more retries than faults.
  Running start(const std::string& run_command, std::vector<std::string> more = {});
  // The same, going on with the run directory.
  Running resume(const std::string& run_command, std::vector<std::string> more = {});

  // Nothing of any trial is left: no process, no directory at the agent, no temporary file.
  [[nodiscard]] bool is_tidy() const;
  [[nodiscard]] nlohmann::json comparable_summary() const { return comparable(place_.summary()); }

 private:
  Workplace place_;
  std::vector<std::string> agent_options_;
  AgentPlace where_;
  int port_ = 0;
  std::unique_ptr<Running> agent_;
};

// The summary of steps_command(steps, …) where nothing went wrong. Measured once for each length.
const nlohmann::json& undisturbed_summary(int steps);

// A program that runs with these has the fault of `sweep` ("mstune:78:kill") at its system calls;
// `counter` is a file that they share. See preload/.
Variables fault_variables(const std::filesystem::path& counter, const std::string& sweep);

// Normally a bound for the normal test command; in the long form many times that, or `at_length`.
int how_many(int normally);
int how_many(int normally, int at_length);

}  // namespace mstune::test
