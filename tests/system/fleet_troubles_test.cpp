// Several agents, of which some are not as they should be.
#include "tests/system/box.h"

namespace mstune::test {
namespace {

using nlohmann::json;

json target_of(const std::string& port) {
  return {{"host", "127.0.0.1"}, {"port", std::stoi(port)}, {"insecure", true}};
}

std::vector<std::string> offline_on_boxes(const std::string& compile,
                                          std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"--mode", "offline", "--compile-command", compile, "--run-command",
                             program("sample_infer") + " --om {om} --loop 8", "--inventory",
                             "boxes.json", "--configs", "LoadBalance:2", "--repeat", "1"});
  return more;
}

TEST_CASE("fanout: several target files are one fleet") {
  Workplace place;
  Box first(place, "first", {"--devices", "0"});
  Box second(place, "second", {"--devices", "1"});
  place.write("first.json", target_of(first.port()).dump());
  place.write("second.json", target_of(second.port()).dump());
  const Ended ended =
      place.tune({"--run-command", program("sample_run") + " --steps 12", "--target", "first.json",
                  "--target", "second.json", "--configs", "LoadBalance:4", "--repeat", "4"});
  INFO(ended.output);
  CHECK(ended.status == 0);
  const json summary = place.summary();
  REQUIRE(summary.at("devices").size() == 2);
  for (const json& device : summary.at("devices")) {
    CHECK(device.at("valid_trials") == 4);
  }
}

TEST_CASE("fanout: an agent on which nothing starts is done without") {
  Workplace place;
  Box good(place, "good", {"--devices", "0"});
  Box bad(place, "bad", {"--devices", "1"});
  json inventory{{"defaults", {{"insecure", true}}}, {"targets", json::array()}};
  inventory["targets"].push_back(target_of(good.port()));
  inventory["targets"].push_back(target_of(bad.port()));
  inventory["targets"].back()["cann_env"] = "/nowhere/set_env.sh";
  place.write("boxes.json", inventory.dump());
  const Ended ended = place.tune(on_boxes({"--repeat", "4"}));
  INFO(ended.output);
  CHECK(ended.status == 0);
  const json trials = place.trials();
  CHECK(trials.size() == 8);
  for (const json& trial : trials) {
    CHECK(trial.at("valid") == true);
    CHECK(trial.at("device") == 0);
  }
  CHECK(ended.output.find("/nowhere/set_env.sh") != std::string::npos);
}

TEST_CASE("fanout: too few file descriptors are said before anything runs") {
  Workplace place;
  Box box(place, "box", {"--devices", "auto"});
  write_inventory(place, {box.port()});
  std::string command = "ulimit -n 70; exec " + program("mstune") + " tune --output-dir out";
  command += " --run-command true --inventory boxes.json --repeat 1 --configs cv";
  const Ended ended = place.run({"bash", "-c", command});
  INFO(ended.output);
  CHECK(ended.status == 2);
  CHECK(ended.output.find("raise the limit (ulimit -n ") != std::string::npos);
}

TEST_CASE("fanout: an OM for another processor is refused, unless that is wanted") {
  Workplace place;
  Box box(place, "box", {});
  write_inventory(place, {box.port()});
  const std::string compile =
      "sh -c 'atc --model=" + model("chain") +
      " --soc_version=Ascend910B2 --output={om_prefix} && mv {om_prefix}.om "
      "{om_prefix}_linux_riscv64.om'";
  const Ended refused = place.tune(offline_on_boxes(compile));
  INFO(refused.output);
  CHECK(refused.status == 2);
  CHECK(refused.output.find("riscv64") != std::string::npos);
  const Ended allowed = place.tune(offline_on_boxes(compile, {"--allow-mismatch"}));
  INFO(allowed.output);
  CHECK(allowed.status == 0);
}

}  // namespace
}  // namespace mstune::test
