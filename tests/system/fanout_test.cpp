#include <algorithm>
#include <csignal>
#include <map>
#include <memory>
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "tests/system/box.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<fs::path> trial_directories(const Workplace& place) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(place.run_directory())) {
    if (entry.path().filename().string().starts_with("trial_")) {
      found.push_back(entry.path());
    }
  }
  return found;
}

bool saw(const fs::path& trial, const std::string& variable) {
  return read_text(trial / "stdout.log").find(variable + "\n") != std::string::npos;
}

TEST_CASE("fanout: an agent's devices share the rounds, and each trial sees one of them") {
  Workplace place;
  Box box(place, "box", {"--devices", "auto"});
  write_inventory(place, {box.port()});
  const Ended ended = place.tune(on_boxes({"--repeat", "4"}));
  INFO(ended.output);
  CHECK(ended.status == 0);
  const json summary = place.summary();
  CHECK(summary.at("spread") == "share");
  CHECK(summary.at("target_host") == "127.0.0.1");
  REQUIRE(summary.at("devices").size() == 2);
  for (const json& device : summary.at("devices")) {
    CHECK(device.at("chip") == "Ascend910B2");
    CHECK(device.at("trials") == 4);
    CHECK(device.at("valid_trials") == 4);
    CHECK(device.at("summaries").at(0).at("median_us").is_number());
  }
  CHECK(summary.at("summaries").at(0).at("median_us").is_null());
  CHECK(summary.at("summaries").at(0).at("speedup").get<double>() > 1.05);
  CHECK(summary.at("recommended") == "LoadBalance:4");
  CHECK(summary.at("agents").at(0).at("cann_version") == "9.2.0");
  CHECK(summary.at("agents").at(0).at("driver_version") == "24.1.0.3");
  std::set<std::pair<int, int>> rounds;  // a round and its device
  for (const json& trial : summary.at("trials")) {
    rounds.emplace(trial.at("repeat").get<int>(), trial.at("device").get<int>());
  }
  CHECK(rounds.size() == 4);
  for (const fs::path& trial : trial_directories(place)) {
    const std::string name = trial.filename().string();
    const std::string device = name.substr(name.rfind("_d") + 2);
    CHECK(saw(trial, "ASCEND_RT_VISIBLE_DEVICES=" + device));
    CHECK(saw(trial, "ASCEND_DEVICE_ID=0"));
  }
}

TEST_CASE("fanout: what was measured on several devices is analyzed again to the same figures") {
  Workplace place;
  Box box(place, "box", {"--devices", "0,1"});
  write_inventory(place, {box.port()});
  CHECK(place.tune(on_boxes({"--repeat", "2", "--spread", "replicate"})).status == 0);
  const json summary = place.summary();
  CHECK(summary.at("trials").size() == 8);
  CHECK(summary.at("chips").at(0).at("devices") == json::array({0, 1}));
  const Ended again =
      place.run({program("mstune"), "analyze", "--json", place.run_directory().string()});
  INFO(again.output);
  const json analyzed = json::parse(again.output);
  for (const char* key : {"summaries", "devices", "chips", "recommended", "agents", "proven"}) {
    CAPTURE(key);
    CHECK(analyzed.at(key) == summary.at(key));
  }
}

TEST_CASE("fanout: two agents work side by side, and each says what it contributed") {
  Workplace place;
  Box first(place, "first", {"--devices", "0"});
  Box second(place, "second", {"--devices", "1"});
  write_inventory(place, {first.port(), second.port()});
  const Ended ended = place.tune(on_boxes({"--repeat", "4"}));
  INFO(ended.output);
  CHECK(ended.status == 0);
  const json summary = place.summary();
  CHECK(summary.at("target_host") == "127.0.0.1,127.0.0.1");
  CHECK(summary.at("devices").at(0).at("agent") == 0);
  CHECK(summary.at("devices").at(1).at("agent") == 1);
  CHECK(summary.at("devices").at(0).at("valid_trials").get<int>() +
            summary.at("devices").at(1).at("valid_trials").get<int>() ==
        8);
  CHECK(ended.output.find("127.0.0.1:" + second.port() + ", device 1, Ascend910B2") !=
        std::string::npos);
}

TEST_CASE("fanout: a device that somebody else uses is not measured on, and its user is named") {
  Workplace place;
  place.environment()["STANDIN_STATE_DIR"] = place.directory().string();
  place.write("state.json",
              R"({"devices": [{"card": 0, "processes": [{"pid": 961, "name": "context"}]},
      {"card": 1, "processes": [{"pid": 47928, "name": "python", "memory_mb": 900}]}]})");
  Box box(place, "box", {"--devices", "0-1", "--busy-wait", "0"});
  write_inventory(place, {box.port()});
  SUBCASE("the other device does all the work") {
    const Ended ended = place.tune(on_boxes({"--repeat", "2"}));
    INFO(ended.output);
    CHECK(ended.status == 0);
    CHECK(ended.output.find("process 47928 (python, 900 MB)") != std::string::npos);
    const json summary = place.summary();
    CHECK(summary.at("devices").at(0).at("valid_trials") == 4);
    CHECK(summary.at("devices").at(1).at("trials") == 0);
    CHECK_FALSE(summary.at("devices").at(1).at("why") == "");
  }
  SUBCASE("also by mstune agents") {
    const Ended table = place.run({program("mstune"), "agents", "--inventory", "boxes.json"});
    INFO(table.output);
    CHECK(table.output.find("1 of 2 free") != std::string::npos);
    CHECK(table.output.find("used by python (47928, 900 MB)") != std::string::npos);
    const Ended document =
        place.run({program("mstune"), "agents", "--inventory", "boxes.json", "--json"});
    const json devices = json::parse(document.output).at("agents").at(0).at("devices");
    CHECK(devices.at(0).at("user").is_null());  // a context disturbs nobody
    CHECK(devices.at(1).at("user").at("pid") == 47928);
  }
  SUBCASE("unless it is told to ignore that") {
    const Ended ended = place.tune(on_boxes({"--repeat", "4", "--ignore-busy"}));
    INFO(ended.output);
    CHECK(ended.status == 0);
    CHECK(ended.output.find("47928") == std::string::npos);
    CHECK(place.summary().at("devices").at(1).at("valid_trials").get<int>() > 0);
  }
}

TEST_CASE("fanout: with no other device the campaign ends and says who has this one") {
  Workplace place;
  occupy_device(place);
  Box box(place, "box", {"--devices", "0", "--busy-wait", "0"});
  write_inventory(place, {box.port()});
  const Ended ended = place.tune(on_boxes({"--repeat", "1"}));
  INFO(ended.output);
  CHECK(ended.status == 2);
  CHECK(ended.output.find("process 47928 (python, 900 MB)") != std::string::npos);
}

// Programs of the place find a npu-smi that does this before it answers.
void do_before_npu_smi(Workplace& place, const std::string& what) {
  const fs::path tools = place.directory() / "tools";
  fs::create_directory(tools);
  place.write("tools/npu-smi", "#!/bin/sh\n" + what + "\nexec " +
                                   (place.toolkit() / "bin/npu-smi").string() + " \"$@\"\n");
  fs::permissions(tools / "npu-smi", fs::perms::owner_all);
  place.environment()["PATH"] = tools.string() + ":" + place.environment()["PATH"];
}

TEST_CASE("fanout: meters are read before and after each trial, and never while one runs") {
  Workplace place;
  const std::string log = (place.directory() / "log").string();
  const std::string mstune = program("mstune");
  do_before_npu_smi(place, "echo npu-smi >> " + log);
  // While it runs somebody asks how the agent is.
  place.write("program.sh", "echo begin >> " + log + "\n" + program("sample_run") +
                                " --steps 12 || exit 1\n" + mstune + " agents --inventory " +
                                (place.directory() / "boxes.json").string() +
                                " --json > agents.json || exit 1\necho end >> " + log + "\n");
  Box box(place, "box", {"--devices", "0"});
  write_inventory(place, {box.port()});
  const Ended ended =
      place.tune({"--run-command", "sh " + (place.directory() / "program.sh").string(),
                  "--inventory", "boxes.json", "--configs", "cv", "--repeat", "1"});
  INFO(ended.output);
  CHECK(ended.status == 0);
  for (const json& trial : place.trials()) {
    REQUIRE(trial.at("readings").size() == 2);
    CHECK(trial.at("readings").at(0).at("when") == "before");
    CHECK(trial.at("readings").at(1).at("when") == "after");
    CHECK(trial.at("readings").at(1).at("temperature_c") == 37);
    CHECK(trial.at("readings").at(1).at("power_w") == 96.4);
    CHECK(trial.at("readings").at(1).at("clock_mhz") == 800);
  }
  const std::string asked = read_text(log);
  INFO(asked);
  CHECK(asked.find("begin\nend\n") != asked.rfind("begin\nend\n"));
  CHECK(asked.find("begin\nnpu-smi") == std::string::npos);
  const Ended agents = place.run({mstune, "agents", "--inventory", "boxes.json", "--json"});
  const json device = json::parse(agents.output).at("agents").at(0).at("devices").at(0);
  CHECK(device.at("chip") == "Ascend910B2");
  CHECK(device.at("temperature_c") == 37);
  CHECK(device.at("read_ago_s") == 0);
}

TEST_CASE("fanout: a trial begins where npu-smi takes longer than a look may be old" *
          doctest::skip(!is_long())) {
  Workplace place;
  do_before_npu_smi(place, "[ \"$*\" = info ] && sleep 2.2");
  Box box(place, "box", {"--devices", "0"});
  write_inventory(place, {box.port()});
  Running tune =
      place.start_tune({"--run-command", program("sample_run") + " --steps 12", "--inventory",
                        "boxes.json", "--configs", "default", "--repeat", "1"});
  const Ended ended = tune.wait(std::chrono::seconds(60));
  INFO(ended.output);
  CHECK(ended.status == 0);
}

TEST_CASE("fanout: without npu-smi the check is skipped, and that is said") {
  Workplace place;
  place.environment()["PATH"] =
      fs::path(program("mstune")).parent_path().string() + ":/usr/bin:/bin";
  Box box(place, "box", {"--devices", "0"});
  write_inventory(place, {box.port()});
  const Ended ended = place.tune(on_boxes({"--repeat", "1"}));
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(ended.output.find("whether somebody else uses a device is not checked") !=
        std::string::npos);
  CHECK_FALSE(place.summary().contains("devices"));  // one device: as ever
  CHECK(fs::exists(place.run_directory() / "trial_000_default_r1") !=
        fs::exists(place.run_directory() / "trial_001_default_r1"));
}

TEST_CASE("fanout: devices that npu-smi does not know are not offered") {
  Workplace place;
  Running agent =
      place.start({program("mstune-agent"), "--insecure", "--listen", "tcp://127.0.0.1:*",
                   "--work-dir", (place.directory() / "box").string(), "--devices", "0-7"});
  const Ended ended = agent.wait();
  CHECK(ended.status == 2);
  CHECK(ended.output.find("npu-smi knows: 0, 1") != std::string::npos);
}

TEST_CASE("fanout: a launcher of several ranks gets several devices for each trial") {
  Workplace place;
  Box box(place, "box", {"--devices", "0-1"});
  write_inventory(place, {box.port()}, R"({"devices_per_trial": 2})");
  const Ended ended = place.tune(on_boxes({"--repeat", "1"}));
  INFO(ended.output);
  CHECK(ended.status == 0);
  for (const fs::path& trial : trial_directories(place)) {
    CHECK(saw(trial, "ASCEND_RT_VISIBLE_DEVICES=0,1"));
  }
}

TEST_CASE("fanout: the build machine's CANN and an agent's must match, before anything is built") {
  Workplace place;
  place.use_own_toolkit(true);
  Box box(place, "box", {"--devices", "0"});
  for (const auto& entry : fs::directory_iterator(place.toolkit())) {
    const fs::path file = entry.path() / "ascend_toolkit_install.info";
    if (fs::exists(file)) {
      // The agent has said nothing yet: it is asked when the campaign begins.
      place.write("cann/" + entry.path().filename().string() + "/ascend_toolkit_install.info",
                  "version=8.1.RC1\n");
    }
  }
  place.environment()["ASCEND_HOME_PATH"] = (fs::path(MSTUNE_TOOLKIT)).string();
  write_inventory(place, {box.port()});
  const std::vector<std::string> campaign{
      "--mode",
      "offline",
      "--compile-command",
      "atc --model=" + model("diamond") + " --soc_version=Ascend910B2 --output={om_prefix}",
      "--run-command",
      program("sample_infer") + " --om {om} --loop 8",
      "--inventory",
      "boxes.json",
      "--configs",
      "LoadBalance:2",
      "--repeat",
      "1"};
  const Ended refused = place.tune(campaign);
  INFO(refused.output);
  CHECK(refused.status == 2);
  CHECK(refused.output.find("must match across the build machine, the OM and the target") !=
        std::string::npos);
  CHECK(refused.output.find("[build]") == std::string::npos);
  fs::remove_all(place.run_directory());
  auto allowed = campaign;
  allowed.emplace_back("--allow-mismatch");
  const Ended ended = place.tune(allowed);
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(ended.output.find("8.1.RC1") != std::string::npos);
}

TEST_CASE("fanout: an agent that never answers is done without, and the summary says so") {
  Workplace place;
  Box box(place, "box", {"--devices", "0"});
  write_inventory(place, {box.port(), "1"});
  const Ended ended = place.tune(on_boxes({"--repeat", "1", "--connect-timeout", "2"}));
  INFO(ended.output);
  CHECK(ended.status == 0);
  const json summary = place.summary();
  CHECK(summary.at("agents").at(1).at("state") == "never_answered");
  CHECK(summary.at("devices").size() == 1);
  CHECK(ended.output.find("127.0.0.1:1 never answered") != std::string::npos);
}

TEST_CASE("fanout: the rounds of an agent that dies are run by the other" *
          doctest::skip(!is_long())) {
  Workplace place;
  Box first(place, "first", {"--devices", "0"});
  Box second(place, "second", {"--devices", "1"});
  write_inventory(place, {first.port(), second.port()});
  Running tune = place.start_tune({"--run-command",
                                   "sh -c 'sleep 1; exec " + program("sample_run") + " --steps 12'",
                                   "--inventory", "boxes.json", "--configs", "LoadBalance:4",
                                   "--repeat", "4", "--reconnect-grace", "1"});
  CHECK(eventually([&] {
    return place.has_run_directory() &&
           std::any_of(fs::directory_iterator(place.run_directory()), fs::directory_iterator(),
                       [](const fs::directory_entry& entry) {
                         return entry.path().filename().string().ends_with("_d0") &&
                                fs::exists(entry.path() / "trial.json");
                       });
  }));
  first.running().signal(SIGKILL);
  const Ended ended = tune.wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  const json summary = place.summary();
  CHECK(summary.at("trials").size() == 8);
  std::map<int, std::set<int>> devices;  // by round
  for (const json& trial : summary.at("trials")) {
    CHECK(trial.at("valid") == true);
    devices[trial.at("repeat")].insert(trial.at("device").get<int>());
  }
  for (const auto& [round, where] : devices) {
    CHECK(where.size() == 1);  // begun anew where it moved to
  }
  CHECK(summary.at("agents").at(0).at("state") == "gone");
  CHECK(fs::exists(place.run_directory() / "attempts"));
}

TEST_CASE("fanout: --manage-pass has the pass on every agent for the run and not after it") {
  Workplace place;
  place.use_own_toolkit(false);
  const fs::path vendors = place.toolkit() / "opp" / "vendors";
  Box first(place, "first", {"--devices", "0"});
  Box second(place, "second", {"--devices", "1"});
  write_inventory(place, {first.port(), second.port()});
  const Ended ended = place.tune(on_boxes({"--repeat", "2", "--manage-pass"}));
  INFO(ended.output);
  CHECK(ended.status == 0);
  for (Box* box : {&first, &second}) {
    CHECK(ended.output.find("127.0.0.1:" + box->port() + ": the pass is at ") != std::string::npos);
  }
  for (const json& trial : place.trials()) {
    CHECK(trial.at("valid") == true);
  }
  CHECK(fs::is_empty(vendors));
  SUBCASE("an agent that is not there is named, and the others have no pass left") {
    fs::remove_all(place.run_directory());
    write_inventory(place, {first.port(), "1"});
    const Ended refused =
        place.tune(on_boxes({"--repeat", "1", "--manage-pass", "--connect-timeout", "2"}));
    INFO(refused.output);
    CHECK(refused.status == 2);
    CHECK(refused.output.find("127.0.0.1:1") != std::string::npos);
    CHECK(fs::is_empty(vendors));
  }
}

TEST_CASE("fanout: mstune confirm measures the joint winner again on the same devices") {
  Workplace place;
  Box first(place, "first", {"--devices", "0"});
  Box second(place, "second", {"--devices", "1"});
  write_inventory(place, {first.port(), second.port()});
  std::string spread;
  SUBCASE("share") {
    spread = "share";
  }
  SUBCASE("replicate") {
    spread = "replicate";
  }
  CHECK(place.tune(on_boxes({"--repeat", "2", "--spread", spread})).status == 0);
  const json before = place.summary();
  const Ended ended =
      place.run({program("mstune"), "confirm", place.run_directory().string(), "--rounds", "4"});
  INFO(ended.output);
  CHECK(ended.status == 0);
  const json after = place.summary();
  CHECK(after.at("confirmation").at("config") == "LoadBalance:4");
  CHECK(after.at("confirmation").at("rounds") == 4);
  CHECK(after.at("spread") == spread);
  for (const char* key : {"recommended", "summaries", "proven"}) {
    CHECK(after.at(key) == before.at(key));
  }
  std::map<int, std::set<int>> devices;  // by round
  for (const json& trial : after.at("trials")) {
    if (trial.at("purpose") == "confirm") {
      devices[trial.at("repeat")].insert(trial.at("device").get<int>());
    }
  }
  CHECK(devices.size() == 4);
  for (const auto& [round, where] : devices) {
    CHECK(where.size() == 1);
  }
}

// What a process has read of files and sockets since it began.
std::uint64_t bytes_read(pid_t process) {
  const std::string io = read_text("/proc/" + std::to_string(process) + "/io");
  return std::stoull(io.substr(io.find("rchar: ") + 7));
}

TEST_CASE(
    "fanout: an upload to many agents reads each file once for each of them, and once before") {
  constexpr std::uint64_t kOmBytes = 8'000'000;
  Workplace place;
  place.environment()["PATH"] =
      fs::path(program("mstune")).parent_path().string() + ":/usr/bin:/bin";  // without npu-smi
  std::vector<std::unique_ptr<Box>> boxes;
  std::vector<std::string> ports;
  for (const char* device : {"0", "1", "2"}) {
    boxes.push_back(std::make_unique<Box>(place, std::string("box") + device,
                                          std::vector<std::string>{"--devices", device}));
    ports.push_back(boxes.back()->port());
  }
  write_inventory(place, ports);
  std::string noise(kOmBytes, '\0');
  std::mt19937_64 random(1);
  std::generate(noise.begin(), noise.end(), [&] { return static_cast<char>(random()); });
  place.write("noise", noise);
  // A build that read it would count as read by who waited for it.
  place.write("build.sh", "exec ln " + (place.directory() / "noise").string() + " \"$1\"\n");
  place.write("run.sh", "exec sleep 65434\n");
  const std::string directory = place.directory().string();
  Running tune = place.start_tune({"--mode", "offline", "--inventory", "boxes.json", "--configs",
                                   "default", "--repeat", "3", "--json-lines", "--allow-mismatch",
                                   "--compile-command", "/bin/bash " + directory + "/build.sh {om}",
                                   "--run-command", "/bin/bash " + directory + "/run.sh {om}"});
  REQUIRE(eventually([&] {
    std::size_t started = 0;
    const std::string& said = tune.output();
    for (auto at = said.find("trial_started"); at != std::string::npos;
         at = said.find("trial_started", at + 1)) {
      ++started;
    }
    return started == 3;
  }));
  const std::uint64_t bytes = bytes_read(tune.id());
  CHECK(bytes >= 4 * kOmBytes);
  CHECK(bytes < 4 * kOmBytes + kOmBytes / 2);
  tune.signal(SIGINT);
  CHECK(tune.wait().status == 130);
}

}  // namespace
}  // namespace mstune::test
