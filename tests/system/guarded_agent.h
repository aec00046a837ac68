// An agent with keys on a port of its own, and clients of it that were written from
// protocol/README.md alone.
#pragma once

#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/system/campaign.h"
#include "tests/system/keys.h"

namespace mstune::test {

class GuardedAgent {
 public:
  // With more options; --insecure takes the place of its keys. `before` are shell commands that it
  // is started behind, as "ulimit -n 256".
  explicit GuardedAgent(Workplace& place, std::vector<std::string> options = {},
                        const std::string& before = {})
      : running_(start(place, std::move(options), before)) {
    CHECK(eventually([&] { return !endpoint().empty(); }));
  }

  ~GuardedAgent() { stop(); }
  GuardedAgent(const GuardedAgent&) = delete;
  GuardedAgent& operator=(const GuardedAgent&) = delete;

  // Its trials end with it.
  Ended stop() {
    if (!stopped_) {
      stopped_ = true;
      running_.signal(SIGTERM);
    }
    return running_.wait();
  }

  std::string endpoint() { return endpoint_in(running_.output()); }
  std::string port() { return port_in(running_.output()); }

  Running& running() { return running_; }

 private:
  static Running start(Workplace& place, std::vector<std::string> options,
                       const std::string& before) {
    make_keys(place);
    std::vector<std::string> command{program("mstune-agent"), "--listen", "tcp://127.0.0.1:*",
                                     "--work-dir", (place.directory() / "agent").string()};
    command.insert(command.end(), options.begin(), options.end());
    if (options != std::vector<std::string>{"--insecure"}) {
      const std::vector<std::string> keys = key_options(place);
      command.insert(command.end(), keys.begin(), keys.end());
    }
    if (!before.empty()) {
      command.insert(command.begin(), {"/bin/sh", "-c", before + "; exec \"$0\" \"$@\""});
    }
    return place.start(command);
  }

  Running running_;
  bool stopped_ = false;
};

// client.py in one of its scenarios.
inline Running client(Workplace& place, GuardedAgent& agent, const std::string& scenario,
                      const std::filesystem::path& key = ".config/mstune/id.key") {
  return place.start({"/usr/bin/python3", MSTUNE_CLIENT, agent.endpoint(),
                      (place.directory() / "agent.pub").string(),
                      (place.directory() / key).string(), scenario});
}

// Checks that client.py finds what the scenario wants.
inline void passes(const std::string& scenario) {
  Workplace place;
  GuardedAgent agent(place);
  const Ended ended = client(place, agent, scenario).wait();
  INFO(ended.output);
  INFO(agent.running().output());
  CHECK(ended.status == 0);
}

}  // namespace mstune::test
