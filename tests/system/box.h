// Agents without keys, each as on a box of its own, and campaigns over them.
#pragma once

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/system/campaign.h"

namespace mstune::test {

// An agent on a box of its own: a toolkit's environment, a state directory, devices.
class Box {
 public:
  Box(Workplace& place, const std::string& name, const std::vector<std::string>& arguments)
      : running_(start(place, name, arguments)) {
    CHECK(eventually([&] { return !port().empty(); }));
  }

  // Empty until it listens.
  std::string port() { return port_in(running_.output()); }

  Running& running() { return running_; }

 private:
  static Running start(Workplace& place, const std::string& name,
                       const std::vector<std::string>& arguments) {
    std::vector<std::string> command{
        program("mstune-agent"), "--insecure", "--listen",
        "tcp://127.0.0.1:*",     "--work-dir", (place.directory() / name).string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return {command, place.directory(), place.environment()};
  }

  Running running_;
};

// From now on npu-smi shows a process of somebody else on the device.
inline void occupy_device(Workplace& place) {
  place.environment()["STANDIN_STATE_DIR"] = place.directory().string();
  place.write("state.json", R"({"devices": [{"card": 0,
      "processes": [{"pid": 47928, "name": "python", "memory_mb": 900}]}]})");
}

// The boxes, and what the programs there are to be told besides.
inline void write_inventory(const Workplace& place, const std::vector<std::string>& ports,
                            const std::string& defaults = "{}") {
  nlohmann::json inventory{{"defaults", nlohmann::json::parse(defaults)},
                           {"targets", nlohmann::json::array()}};
  inventory["defaults"]["insecure"] = true;
  for (const std::string& port : ports) {
    inventory["targets"].push_back({{"host", "127.0.0.1"}, {"port", std::stoi(port)}});
  }
  place.write("boxes.json", inventory.dump());
}

inline std::vector<std::string> on_boxes(std::vector<std::string> more) {
  more.insert(more.begin(),
              {"--run-command", "sh -c 'env; exec " + program("sample_run") + " --steps 12'",
               "--inventory", "boxes.json", "--configs", "LoadBalance:4"});
  return more;
}

}  // namespace mstune::test
