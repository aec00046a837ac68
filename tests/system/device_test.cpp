// The device is a trial's own from its beginning to its end, or it is said that it was not.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <map>

#include <doctest/doctest.h>

#include "tests/system/box.h"
#include "tests/system/fault_place.h"
#include "tests/system/guarded_agent.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::seconds;

// A program in bash that fails where somebody else holds its device: a lock that whoever it leaves
// behind has as well. `text` runs under it.
std::string locking_program(const Workplace& place, const std::string& text) {
  place.write("program.sh", "exec 9> " + (place.directory() / "device").string() +
                                ".$ASCEND_RT_VISIBLE_DEVICES\n"
                                "flock -n 9 || { echo a second holder; exit 3; }\n" +
                                text + "\n");
  return "/bin/bash " + (place.directory() / "program.sh").string();
}

// Without the trial's variables and in a session of its own. One that is deaf to SIGTERM takes the
// whole time that a program has to end, in each trial.
std::string left_over(const std::string& what, bool deaf = false) {
  return "(env -i PATH=\"$PATH\" LD_LIBRARY_PATH=\"$LD_LIBRARY_PATH\" "
         "ASCEND_HOME_PATH=\"$ASCEND_HOME_PATH\" ASCEND_OPP_PATH=\"$ASCEND_OPP_PATH\" "
         "ASCEND_PROCESS_LOG_PATH=\"$PWD\" "
         "ASCEND_RT_VISIBLE_DEVICES=\"$ASCEND_RT_VISIBLE_DEVICES\" "
         "GE_AUTO_MULTISTREAM_PARALLEL_MODE=default "
         "setsid /bin/bash -c '" +
         std::string(deaf ? "trap \"\" TERM; " : "") + what + "' &) > /dev/null 2>&1\n";
}

std::map<std::string, json> medians(const Workplace& place) {
  for (const json& trial : place.trials()) {
    INFO(trial.dump());
    CHECK(trial.at("valid") == true);
  }
  std::map<std::string, json> result;
  const json summary = json::parse(read_text(place.run_directory() / "summary.json"));
  for (const json& each : summary.at("summaries")) {
    result[each.at("config")] = each.at("median_us");
  }
  return result;
}

// A round on one device, three in the long form, with this in the program behind its steps.
std::map<std::string, json> measured(const std::string& behind) {
  Workplace place;
  place.environment()["STANDIN_DETERMINISTIC"] = "1";
  Box box(place, "box", {"--devices", "0"});
  write_inventory(place, {box.port()});
  const std::string command =
      locking_program(place, program("sample_run") + " --steps 12 || exit 1\n" + behind);
  const Ended ended = place.tune({"--run-command", command, "--inventory", "boxes.json",
                                  "--configs", "cv", "--repeat", std::to_string(how_many(1, 3))});
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK((ended.output.find("left processes running") != std::string::npos) == !behind.empty());
  CHECK(processes_with("--steps" + std::string(1, '\0') + "424242").empty());
  return medians(place);
}

TEST_CASE("device: what a hostile left-over would cost is not in the figures") {
  // It uses the device: with it there, each step of the next trial would take twice as long.
  const std::string hostile =
      left_over(program("sample_run") + " --steps 424242", true) + "sleep .3";
  CHECK(measured(hostile) == measured(""));
}

TEST_CASE("device: a left-over is ended where there is no /proc, by the keeper alone") {
  if (::geteuid() != 0) {
    MESSAGE("needs root: a mount namespace without /proc");
    return;
  }
  FaultPlace faults({"--devices", "0"}, {{"unshare", "-m", "/bin/sh", "-c",
                                          "mount -t tmpfs none /proc && exec \"$@\"", "sh"}});
  const std::string command = locking_program(
      faults.place(), left_over("exec sleep 424243") + "exec " + faults.steps_command(10, 1));
  const Ended ended = faults.start(command, {"--repeat", "1"}).wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  for (const json& trial : faults.place().trials()) {
    INFO(trial.dump());
    CHECK(trial.at("valid") == true);
  }
  CHECK(processes_with("sleep" + std::string(1, '\0') + "424243").empty());
}

TEST_CASE("device: a killed agent's left-overs go with it, and it begins anew behind them") {
  FaultPlace faults({"--devices", "0"});
  const std::string marker = "sleep" + std::string(1, '\0') + "424244";
  const std::string first = "sleep" + std::string(1, '\0') + "424245";
  const std::string command = locking_program(
      faults.place(),
      left_over("exec sleep 424244") + "if mkdir " + (faults.directory() / "first").string() +
          " 2> /dev/null; then sleep 424245; fi\nexec " + faults.steps_command(10, 1));
  Running tune = faults.start(command);
  REQUIRE(eventually(
      [&] { return !processes_with(marker).empty() && !processes_with(first).empty(); }));
  faults.kill_agent();
  faults.start_agent();
  const Ended ended = tune.wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(ended.output.find("a second holder") == std::string::npos);
  CHECK(processes_with(marker).empty());
  CHECK(processes_with(first).empty());
}

TEST_CASE("device: a mask that somebody gave is kept, under the ids before it") {
  Workplace place;
  place.environment()["STANDIN_STATE_DIR"] = place.directory().string();
  place.environment()["ASCEND_RT_VISIBLE_DEVICES"] = "4,5";
  place.write("state.json", R"({"device_count": 8})");
  SUBCASE("auto offers its devices, and a trial sees one of them") {
    Box box(place, "box", {"--devices", "auto"});
    write_inventory(place, {box.port()});
    const Ended ended = place.tune(on_boxes({"--repeat", "2"}));
    INFO(ended.output);
    CHECK(ended.status == 0);
    const json devices = place.summary().at("devices");
    REQUIRE(devices.size() == 2);
    CHECK(devices.at(0).at("ids") == json::array({4}));
    CHECK(devices.at(1).at("ids") == json::array({5}));
    for (const auto& entry : fs::directory_iterator(place.run_directory())) {
      if (entry.path().filename().string().starts_with("trial_")) {
        const std::string output = read_text(entry.path() / "stdout.log");
        CHECK(output.find("ASCEND_DEVICE_ID=0\n") != std::string::npos);
        CHECK((output.find("ASCEND_RT_VISIBLE_DEVICES=4\n") != std::string::npos) !=
              (output.find("ASCEND_RT_VISIBLE_DEVICES=5\n") != std::string::npos));
      }
    }
  }
  SUBCASE("a device outside of it is refused at the start") {
    const Ended ended =
        place.run({program("mstune-agent"), "--insecure", "--listen", "tcp://127.0.0.1:*",
                   "--work-dir", (place.directory() / "box").string(), "--devices", "0"});
    INFO(ended.output);
    CHECK(ended.status == 2);
    CHECK(ended.output.find("ASCEND_RT_VISIBLE_DEVICES=4,5") != std::string::npos);
  }
}

TEST_CASE("device: who only has a context there is told and not waited for") {
  Workplace place;
  place.environment()["STANDIN_STATE_DIR"] = place.directory().string();
  place.write("state.json", R"({"devices": [{"card": 0,
      "processes": [{"pid": 47928, "name": "python", "memory_mb": 90}]}]})");
  Box box(place, "box", {"--devices", "0"});
  write_inventory(place, {box.port()});
  const Ended ended = place.tune(on_boxes({"--repeat", "1"}));
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(ended.output.find("held by process 47928 (python, 90 MB)") != std::string::npos);
  CHECK(ended.output.find("waiting up to") == std::string::npos);
}

TEST_CASE("device: who comes onto it during a trial makes that void, and it is run again") {
  Workplace place;
  place.environment()["STANDIN_STATE_DIR"] = place.directory().string();
  place.write("state.json", R"({"devices": [{"card": 0}]})");
  place.write("busy.json", R"({"devices": [{"card": 0,
      "processes": [{"pid": 47928, "name": "python", "memory_mb": 2048}]}]})");
  const std::string directory = place.directory().string();
  place.write("program.sh", "mkdir " + directory + "/first 2> /dev/null && mv " + directory +
                                "/busy.json " + directory + "/state.json\nexec " +
                                program("sample_run") + " --steps 12\n");
  Box box(place, "box", {"--devices", "0"});
  write_inventory(place, {box.port()});
  Running tune =
      place.start_tune({"--run-command", "sh " + directory + "/program.sh", "--inventory",
                        "boxes.json", "--configs", "cv", "--repeat", "1"});
  CHECK(eventually([&] {
    return tune.output().find("came onto its device") != std::string::npos || tune.has_ended();
  }));
  place.write("free.json", R"({"devices": [{"card": 0}]})");
  fs::rename(place.directory() / "free.json", place.directory() / "state.json");
  const Ended ended = tune.wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(ended.output.find("process 47928 (python, 2048 MB)") != std::string::npos);
  const json trials = place.trials();
  REQUIRE(trials.size() == 2);
  for (const json& trial : trials) {
    CHECK(trial.at("valid") == true);
  }
  CHECK(fs::exists(place.run_directory() / "attempts"));
}

TEST_CASE("device: a trial that GE ran on one stream is void, whatever its records say") {
  FaultPlace faults({"--devices", "0"});
  faults.place().write(
      "falls_back.sh",
      faults.steps_command(10, 1) +
          "\n[ \"$GE_AUTO_MULTISTREAM_PARALLEL_MODE\" = default ] && exit 0\n"
          "printf '[EVENT] GE(%d,infer):2026-11-29-14:40:08.762.257 [model.cc:137]%d Assign:Need "
          "rollback to single stream\\n' $$ $$ >> "
          "$ASCEND_PROCESS_LOG_PATH/run/plog/plog-${$}_20260101000000001.log\n");
  const Ended ended =
      faults.start("/bin/bash " + (faults.directory() / "falls_back.sh").string()).wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(ended.output.find("GE ran the model on one stream") != std::string::npos);
  const json trials = faults.place().trials();
  REQUIRE(trials.size() == 4);
  for (const json& trial : trials) {
    INFO(trial.dump());
    const bool is_default = trial.at("config") == "default";
    CHECK(trial.at("valid") == is_default);
    CHECK((trial.at("reason_codes") == json::array({"single_stream_fallback"})) == !is_default);
  }
}

// The line of cgroup v2 in /proc/PID/cgroup: "0::/…".
std::string cgroup_line(const std::string& text) {
  const auto begin = text.find("0::/");
  return begin == std::string::npos ? std::string()
                                    : text.substr(begin, text.find('\n', begin) - begin);
}

TEST_CASE(
    "device: a trial is in a cgroup of its own where one can be made, and that goes with it") {
  FaultPlace faults({"--devices", "0"});
  const std::string of_agent =
      cgroup_line(read_text("/proc/" + std::to_string(faults.agent().id()) + "/cgroup"));
  const std::string command =
      locking_program(faults.place(), "cat /proc/self/cgroup\n" + left_over("exec sleep 424246") +
                                          "exec " + faults.steps_command(10, 1));
  const Ended ended = faults.start(command).wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(processes_with("sleep" + std::string(1, '\0') + "424246").empty());
  const std::string of_trial =
      cgroup_line(read_text(faults.place().run_directory() / "trial_000_default_r1/stdout.log"));
  INFO(of_agent, " ", of_trial);
  if (of_trial == of_agent) {
    MESSAGE("no cgroup v2 can be made here");
    return;
  }
  CHECK(of_trial.find("/mstune-") != std::string::npos);
  for (const char* mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    CHECK_FALSE(fs::exists(mount + of_trial.substr(std::string("0::").size())));
  }
}

TEST_CASE("device: trials of two agents on one device take turns, whoever their campaigns are") {
  Workplace one;
  Workplace other;
  other.environment()[kTurnDirectory] = one.environment()[kTurnDirectory];
  Box first(one, "box", {"--devices", "0"});
  Box second(other, "box", {"--devices", "0"});
  write_inventory(one, {first.port()});
  write_inventory(other, {second.port()});
  const std::string command =
      locking_program(one, "sleep .2\nexec " + program("sample_run") + " --steps 12");
  const std::vector<std::string> arguments{"--run-command", command, "--inventory", "boxes.json",
                                           "--configs",     "cv",    "--repeat",    "2"};
  Running tune = one.start_tune(arguments);
  const Ended ended = other.tune(arguments);
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(ended.output.find("another agent of this machine offers device 0") != std::string::npos);
  const Ended also = tune.wait();
  INFO(also.output);
  CHECK(also.status == 0);
  CHECK((ended.output + also.output).find("is used by a trial of process") != std::string::npos);
  for (const Workplace* place : {&one, &other}) {
    for (const json& trial : place->trials()) {
      INFO(trial.dump());
      CHECK(trial.at("valid") == true);
    }
  }
}

// Ten seconds are the least that it is kept.
TEST_CASE("device: a trial that its client forgot gives its device back after the grace time" *
          doctest::skip(!is_long())) {
  Workplace place;
  GuardedAgent agent(place, {"--reconnect-grace", "1"});
  const Ended ended = client(place, agent, "forget").wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
}

// A quarter of a minute is the least that it is held.
TEST_CASE("device: a pass that its client forgot leaves CANN though the client is still there" *
          doctest::skip(!is_long())) {
  Workplace place;
  place.use_own_toolkit(false);
  place.environment()["LIBRARY"] = pass_of_build();
  GuardedAgent agent(place, {"--reconnect-grace", "1"});
  Running forgetful = client(place, agent, "hold");
  REQUIRE(eventually([&] { return forgetful.output().find("held") != std::string::npos; }));
  const fs::path folder = vendors(place);
  CHECK_FALSE(fs::is_empty(folder));
  CHECK(eventually([&] { return fs::is_empty(folder); }, seconds(60)));
  CHECK_FALSE(forgetful.has_ended());
  forgetful.signal(SIGKILL);
}

}  // namespace
}  // namespace mstune::test
