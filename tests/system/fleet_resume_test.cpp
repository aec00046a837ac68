// Going on with a campaign over several agents whose coordinator was killed: what ran goes on where
// it ran, and the summary is the one of a campaign that nobody disturbed.
#include <algorithm>
#include <csignal>
#include <memory>
#include <random>

#include <doctest/doctest.h>

#include "common/os/file.h"
#include "tests/system/fault_place.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::milliseconds;

int port_of(Running& agent) {
  CHECK(eventually([&] { return !port_in(agent.output()).empty(); }));
  return std::stoi(port_in(agent.output()));
}

// Two agents with a device each, and a program that waits for the file "go" and then writes STEP
// lines. Each start leaves a line in "starts".
class Pair {
 public:
  explicit Pair(const std::string& spread) : spread_(spread) {
    write_steps_program(place_);
    const std::string directory = place_.directory().string();
    place_.write("wait.sh", "echo x >> " + directory + "/starts\n" + "until [ -e " + directory +
                                "/go ]; do read -r -t .02 nothing <> <(:); done\n" + "exec " +
                                steps_command(place_, 10, 5) + "\n");
    json targets = json::array();
    for (const char* device : {"0", "1"}) {
      const std::string name = std::string("box") + device;
      agents_.push_back(std::make_unique<Running>(
          std::vector<std::string>{program("mstune-agent"), "--insecure", "--listen",
                                   "tcp://127.0.0.1:*", "--work-dir",
                                   (place_.directory() / name).string(), "--devices", device},
          place_.directory(), Variables{{"PATH", "/usr/bin:/bin"}}));
      targets.push_back({{"host", "127.0.0.1"}, {"port", port_of(*agents_.back())}});
    }
    place_.write("boxes.json",
                 json{{"defaults", {{"insecure", true}}}, {"targets", targets}}.dump());
  }
  ~Pair() {
    for (const auto& agent : agents_) {
      agent->signal(SIGTERM);
      agent->wait();
    }
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  Workplace& place() { return place_; }
  Running& agent(std::size_t at) { return *agents_[at]; }
  void go() const { place_.write("go", ""); }

  [[nodiscard]] std::size_t starts() const {
    const fs::path file = place_.directory() / "starts";
    const std::string text = fs::exists(file) ? read_text(file) : std::string();
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  Running start(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--inventory", "boxes.json", "--configs", "LoadBalance:4", "--order",
                               "fixed", "--repeat", "4", "--run-command",
                               "/bin/bash " + (place_.directory() / "wait.sh").string()});
    if (std::find(more.begin(), more.end(), "--spread") == more.end()) {
      more.insert(more.end(), {"--spread", spread_});
    }
    return place_.start_tune(more);
  }
  Running resume(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--resume", place_.run_directory().string()});
    return start(more);
  }

  // Which device took which round is a matter of time where they share the rounds.
  [[nodiscard]] json comparable_summary() const {
    json summary = comparable(place_.summary());
    for (json& agent : summary.at("agents")) {
      agent.erase("target");
    }
    if (spread_ == "share") {
      summary.erase("devices");
      summary.erase("chips");
      for (json& trial : summary.at("trials")) {
        trial.erase("device");
      }
    }
    return summary;
  }

  [[nodiscard]] bool is_tidy() const {
    return fs::is_empty(place_.directory() / "box0" / "trials") &&
           fs::is_empty(place_.directory() / "box1" / "trials") && !place_.has_temporary_files();
  }

  // No round stands on two devices.
  [[nodiscard]] bool rounds_are_whole() const {
    std::map<std::pair<int, int>, std::size_t> trials;  // by round and device
    for (const json& trial : place_.trials()) {
      ++trials[{trial.at("repeat").get<int>(), trial.at("device").get<int>()}];
    }
    return std::all_of(trials.begin(), trials.end(),
                       [](const auto& entry) { return entry.second == 2; });
  }

 private:
  Workplace place_;
  std::string spread_;
  std::vector<std::unique_ptr<Running>> agents_;
};

// Measured once for each way to spread.
const json& undisturbed(const std::string& spread) {
  static std::map<std::string, json> summaries;
  const auto known = summaries.find(spread);
  if (known != summaries.end()) {
    return known->second;
  }
  Pair pair(spread);
  pair.go();
  const Ended ended = pair.start().wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  return summaries[spread] = pair.comparable_summary();
}

void kill(Running& tune) {
  tune.signal(SIGKILL);
  tune.wait();
}

std::size_t trials_of(const std::string& spread) {
  return spread == "share" ? 8 : 16;
}

void trials_go_on(const std::string& spread) {
  Pair pair(spread);
  Running killed = pair.start();
  REQUIRE(eventually([&] { return pair.starts() == 2; }));
  kill(killed);
  Running again = pair.resume();
  CHECK(eventually([&] {
    const std::string& said = again.output();
    return std::count(said.begin(), said.end(), '[') >= 2;  // both are waited for again
  }));
  pair.go();
  const Ended ended = again.wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(pair.starts() == trials_of(spread));  // each once
  check_same(pair.comparable_summary(), undisturbed(spread));
  CHECK(pair.rounds_are_whole());
  CHECK_FALSE(fs::exists(pair.place().run_directory() / "attempts"));
  CHECK(eventually([&] { return pair.is_tidy(); }));
}

TEST_CASE("fleets: a killed coordinator's trials on two agents are found running and go on") {
  SUBCASE("share") {
    trials_go_on("share");
  }
  SUBCASE("replicate") {
    trials_go_on("replicate");
  }
}

void survives_kills(const std::string& spread, std::uint64_t seed) {
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  Pair pair(spread);
  pair.go();
  auto tune = std::make_unique<Running>(pair.start());
  const auto has_begun = [&] {
    return pair.place().has_run_directory() &&
           fs::exists(pair.place().run_directory() / "campaign.json");
  };
  REQUIRE(eventually(has_begun));
  // Each kill comes at a random time, which is the point of it: nothing is waited for.
  for (int kills = 0; kills < 8; ++kills) {
    if (eventually([&] { return tune->has_ended(); }, milliseconds(20 + random() % 500))) {
      break;
    }
    kill(*tune);
    tune = std::make_unique<Running>(pair.resume());
  }
  const Ended ended = tune->wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(pair.starts() == trials_of(spread));  // nothing that ran was lost
  check_same(pair.comparable_summary(), undisturbed(spread));
  CHECK(pair.rounds_are_whole());
  CHECK(eventually([&] { return pair.is_tidy(); }));
}

TEST_CASE("fleets: kill -9 of the coordinator at random points changes nothing in the summary") {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(how_many(2)); ++seed) {
    survives_kills("share", seed);
    survives_kills("replicate", seed);
  }
}

TEST_CASE(
    "fleets: a run that was through but for its end is ended, and its agents were never lost") {
  for (const char* spread : {"share", "replicate"}) {
    CAPTURE(spread);
    Pair pair(spread);
    pair.go();
    CHECK(pair.start().wait().status == 0);
    std::filesystem::remove(pair.place().run_directory() / "summary.json");
    const Ended ended = pair.resume().wait();
    INFO(ended.output);
    CHECK(ended.status == 0);
    CHECK(pair.starts() == trials_of(spread));
    check_same(pair.comparable_summary(), undisturbed(spread));
  }
}

TEST_CASE("fleets: an agent that is not there any more is done without, and its round moves") {
  Pair pair("share");
  Running killed = pair.start();
  REQUIRE(eventually([&] { return pair.starts() == 2; }));
  kill(killed);
  pair.agent(1).signal(SIGKILL);
  pair.go();
  const Ended ended = pair.resume({"--connect-timeout", "2"}).wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(pair.rounds_are_whole());
  const json summary = pair.place().summary();
  CHECK(summary.at("devices").at(0).at("valid_trials") == 8);
  CHECK(summary.at("devices").at(1).at("trials") == 0);
  CHECK(summary.at("agents").at(1).at("state") == "gone");
}

TEST_CASE("fleets: another way to spread, or other devices, are refused with the difference") {
  Pair pair("share");
  Running killed = pair.start();
  REQUIRE(eventually([&] { return pair.starts() == 2; }));
  kill(killed);
  const std::string run = pair.place().run_directory().string();
  const std::string campaign = read_text(run + "/campaign.json");
  const Ended spread = pair.start({"--resume", run, "--spread", "replicate"}).wait();
  INFO(spread.output);
  CHECK(spread.status == 2);
  CHECK(spread.output.find("--spread was \"share\" and is \"replicate\" now") != std::string::npos);
  const std::string boxes = read_text(pair.place().directory() / "boxes.json");
  json swapped = json::parse(boxes);
  std::swap(swapped["targets"][0], swapped["targets"][1]);
  pair.place().write("boxes.json", swapped.dump());
  const Ended devices = pair.resume().wait();
  INFO(devices.output);
  CHECK(devices.status == 2);
  CHECK(devices.output.find("offers other devices than before") != std::string::npos);
  CHECK(read_text(run + "/campaign.json") == campaign);
  pair.place().write("boxes.json", boxes);
  pair.go();
  const Ended ended = pair.resume().wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(pair.starts() == 8);  // what ran was left alone, so that each trial ran once
  check_same(pair.comparable_summary(), undisturbed("share"));
}

// One agent of a box with a toolkit and npu-smi, both of which can be exchanged.
class ChangingBox {
 public:
  ChangingBox() {
    place_.use_own_toolkit(true);
    place_.environment()["STANDIN_STATE_DIR"] = place_.directory().string();
    write_steps_program(place_);
    place_.write("wait.sh", "echo x >> " + file("starts") + "\nuntil [ -e " + file("go") +
                                " ]; do read -r -t .02 nothing <> <(:); done\nexec " +
                                steps_command(place_, 10, 1) + "\n");
    use_chip("Ascend910B2");
  }
  ~ChangingBox() { stop(); }
  ChangingBox(const ChangingBox&) = delete;
  ChangingBox& operator=(const ChangingBox&) = delete;

  Workplace& place() { return place_; }
  [[nodiscard]] std::string file(const std::string& name) const {
    return (place_.directory() / name).string();
  }

  // The agent is started again: it asks npu-smi when it starts.
  void use_chip(const std::string& chip) {
    stop();
    place_.write("state.json", json{{"soc_version", chip}}.dump());
    agent_ = std::make_unique<Running>(
        place_.start({program("mstune-agent"), "--insecure", "--listen", "tcp://127.0.0.1:*",
                      "--work-dir", file("box"), "--devices", "0"}));
    place_.write("target.json", json{{"host", "127.0.0.1"},
                                     {"port", port_of(*agent_)},
                                     {"insecure", true},
                                     {"cann_env", (place_.toolkit() / "set_env.sh").string()}}
                                    .dump());
  }

  void use_cann(const std::string& version) const {
    for (const auto& entry : fs::directory_iterator(place_.toolkit())) {
      const fs::path info = entry.path() / "ascend_toolkit_install.info";
      if (!entry.is_symlink() && fs::exists(info)) {
        os::write_file_atomically(info, "version=" + version + "\n");
      }
    }
  }

  Running start(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--target", "target.json", "--configs", "LoadBalance:4", "--order",
                               "fixed", "--repeat", "1"});
    if (std::find(more.begin(), more.end(), "--run-command") == more.end()) {
      more.insert(more.end(), {"--run-command", "/bin/bash " + file("wait.sh")});
    }
    return place_.start_tune(more);
  }
  Ended resume(std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--resume", place_.run_directory().string()});
    return start(std::move(more)).wait();
  }

 private:
  void stop() {
    if (agent_) {
      agent_->signal(SIGTERM);
      agent_->wait();
      agent_.reset();
    }
  }

  Workplace place_;
  std::unique_ptr<Running> agent_;
};

TEST_CASE("resume: another CANN or another chip is refused with the difference, unless allowed") {
  ChangingBox box;
  box.use_cann("9.2.0");
  Running killed = box.start();
  REQUIRE(eventually([&] { return fs::exists(box.file("starts")); }));
  kill(killed);
  const auto refused = [&](const std::string& difference) {
    const Ended ended = box.resume();
    INFO(ended.output);
    CHECK(ended.status == 2);
    CHECK(ended.output.find(difference) != std::string::npos);
  };
  box.use_cann("8.1.RC1");
  refused("CANN was 9.2.0 when the run was begun and is 8.1.RC1 now");
  box.use_cann("9.2.0");
  box.use_chip("Ascend910B4");
  refused("the chip was Ascend910B2 when the run was begun and is Ascend910B4 now");
  box.place().write("go", "");
  const Ended ended = box.resume({"--allow-mismatch"});
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(box.place().summary().at("versions").at("chip") == "Ascend910B4");
}

TEST_CASE("resume: one that is refused leaves alone what runs, and the right one goes on with it") {
  ChangingBox box;
  box.use_cann("9.2.0");
  Running killed = box.start();
  REQUIRE(eventually([&] { return fs::exists(box.file("starts")); }));
  kill(killed);
  box.use_cann("8.1.RC1");
  CHECK(box.resume().status == 2);
  box.use_cann("9.2.0");
  box.place().write("go", "");
  const Ended ended = box.resume();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(read_text(box.file("starts")) == "x\nx\n");
  CHECK(box.place().trials().at(0).at("attempt") == 1);
  CHECK_FALSE(fs::exists(box.place().run_directory() / "attempts"));
}

TEST_CASE("resume: one that is refused for its OM leaves alone what runs, too") {
  ChangingBox box;
  box.place().environment()[kTurnDirectory] = box.file("elsewhere");  // not on the agent's machine
  const std::vector<std::string> offline{
      "--mode", "offline", "--compile-command",
      "atc --model=" + model("chain") + " --soc_version=Ascend910B2 --output={om_prefix}"};
  box.place().write("wait.sh", "echo x >> " + box.file("starts") + "\nuntil [ -e " +
                                   box.file("go") +
                                   " ]; do read -r -t .02 nothing <> <(:); done\nexec " +
                                   program("sample_infer") + " --om \"$1\" --loop 8\n");
  std::vector<std::string> more = offline;
  more.insert(more.end(), {"--run-command", "/bin/bash " + box.file("wait.sh") + " {om}"});
  Running killed = box.start(more);
  REQUIRE(eventually([&] { return fs::exists(box.file("starts")); }));
  kill(killed);
  const fs::path om = box.place().run_directory() / "om/model_default.om";
  const std::string content = read_text(om);
  os::write_file_atomically(om, content + "x");
  const Ended refused = box.resume(more);
  INFO(refused.output);
  CHECK(refused.status == 2);
  CHECK(refused.output.find("the OM of default") != std::string::npos);
  os::write_file_atomically(om, content);
  box.place().write("go", "");
  const Ended ended = box.resume(more);
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(read_text(box.file("starts")) == "x\nx\n");
  CHECK(box.place().trials().at(0).at("attempt") == 1);
}

}  // namespace
}  // namespace mstune::test
