// The agent that the coordinator starts for itself: the same program, the same wire, no daemon.
//
// It listens on an ipc socket in a private directory and never outlives this process.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/os/process.h"
#include "common/time.h"

namespace mstune::coordinator {

// The agent's program: beside this one, as both are installed, or the name to look up in PATH.
std::string agent_program();

// Below it the agent's working directory is made: TMPDIR where that is fit for it, else /tmp.
std::filesystem::path local_work_parent(const std::vector<std::string>& environment);

class LocalAgent {
 public:
  // Starts it and returns when it listens. `environment` is what local trials inherit; a trial goes
  // on without this process for `reconnect_grace`. Its directory is called after `name`: a campaign
  // that goes on finds again what its killed life had made. Throws an environment error: the
  // program is not there, or ended before it listened.
  LocalAgent(const std::vector<std::string>& environment, Duration reconnect_grace,
             std::string_view name);
  // Ends it, and with it whatever it still runs.
  ~LocalAgent();
  LocalAgent(const LocalAgent&) = delete;
  LocalAgent& operator=(const LocalAgent&) = delete;

  [[nodiscard]] std::string endpoint() const;

  // True when it is no more, which is worth asking at SIGCHLD.
  [[nodiscard]] bool has_ended() const { return process_.has_exited(); }
  // How it ended, and what it said last. Once it has ended.
  Message last_words();
  // Starts it in the same place, where it ends what its former life left, and does not wait until
  // it listens. Throws an environment error.
  void start_again();

 private:
  std::filesystem::path directory_;  // private; the agent's, which removes it
  os::SpawnRequest request_;
  os::Process process_;
};

}  // namespace mstune::coordinator
