// An agent of its own for a test, and the target file that names it.
#pragma once

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/system/campaign.h"
#include "tests/system/keys.h"

namespace mstune::test {

// An agent as a person starts it on a box: by hand, on a port of its own.
class Agent {
 public:
  explicit Agent(Workplace& place, const std::string& port = "*",
                 const std::vector<std::string>& more = {})
      : running_(start(place, port, more)) {
    CHECK(eventually([&] { return !endpoint().empty(); }));
  }

  std::string endpoint() { return endpoint_in(running_.output()); }
  std::string port() { return port_in(running_.output()); }

  Running& running() { return running_; }

 private:
  static Running start(Workplace& place, const std::string& port,
                       const std::vector<std::string>& more) {
    make_keys(place);
    std::vector<std::string> command{program("mstune-agent"), "--listen", "tcp://127.0.0.1:" + port,
                                     "--work-dir", (place.directory() / "agent").string()};
    for (const std::string& option : key_options(place)) {
      command.push_back(option);
    }
    command.insert(command.end(), more.begin(), more.end());
    // It knows nothing of CANN: cann_env has to bring it.
    return {command,
            place.directory(),
            {{"PATH", "/usr/bin:/bin"},
             {"STANDIN_DETERMINISTIC", "1"},
             {"STANDIN_TIME_SCALE", "0"},
             {"STANDIN_STATE_DIR", (place.directory() / "state").string()}}};
  }

  Running running_;
};

inline void write_target(const Workplace& place, const std::string& port, const std::string& more) {
  place.write("target.json", R"({"host": "127.0.0.1", "port": )" + port + R"(, "server_key": ")" +
                                 public_key(place) + R"(", "cann_env": ")" +
                                 (place.toolkit() / "set_env.sh").string() + "\"" + more + "}");
}

}  // namespace mstune::test
