// Agents that join a running campaign, die and come back, are another one then, or have no room:
// the rest goes on, and every round is in the summary.
#include <algorithm>
#include <csignal>
#include <memory>

#include <doctest/doctest.h>

#include "tests/system/fault_place.h"
#include "tests/system/small_disk.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kRounds = 6;
constexpr std::size_t kTrials = 2 * kRounds;

// False when it ends instead.
bool says_its_port(Running& agent) {
  eventually([&] { return !port_in(agent.output()).empty() || agent.has_ended(); });
  return !port_in(agent.output()).empty();
}

// Agents with a device and a CANN each, and programs that wait for the file "go" and then write
// STEP lines. Each start leaves a line in "starts".
class Boxes {
 public:
  explicit Boxes(std::size_t count) {
    write_steps_program(place_);
    const std::string directory = place_.directory().string();
    place_.write("wait.sh", "echo x >> " + directory + "/starts\nuntil [ -e " + directory +
                                "/go ]; do read -r -t .02 nothing <> <(:); done\n" +
                                "export GE_AUTO_MULTISTREAM_PARALLEL_MODE=" +
                                "${GE_AUTO_MULTISTREAM_PARALLEL_MODE:-default}\ncase $1 in " +
                                "*LoadBalance4*) GE_AUTO_MULTISTREAM_PARALLEL_MODE=LoadBalance:4" +
                                ";;\nesac\nexec " + steps_command(place_, 10, 1) + "\n");
    place_.write("build.sh", "head -c 3000000 /dev/urandom > \"$1\"\n");
    json targets = json::array();
    for (std::size_t at = 0; at < count; ++at) {
      boxes_.emplace_back();
      use_cann(at, "9.2.0");
      start(at);
      targets.push_back({{"host", "127.0.0.1"},
                         {"port", std::stoi(boxes_[at].port)},
                         {"cann_env", (home(at) / "set_env.sh").string()}});
    }
    place_.write("boxes.json",
                 json{{"defaults", {{"insecure", true}}}, {"targets", targets}}.dump());
  }
  ~Boxes() {
    for (std::size_t at = 0; at < boxes_.size(); ++at) {
      stop(at);
    }
  }
  Boxes(const Boxes&) = delete;
  Boxes& operator=(const Boxes&) = delete;

  Workplace& place() { return place_; }
  [[nodiscard]] fs::path work_directory(std::size_t at) const {
    return place_.directory() / ("box" + std::to_string(at));
  }
  [[nodiscard]] std::string target(std::size_t at) const { return "127.0.0.1:" + boxes_[at].port; }
  Running& agent(std::size_t at) { return *boxes_[at].agent; }

  // Where it was before, if it was.
  void start(std::size_t at, const std::vector<std::string>& more = {}) {
    Box& box = boxes_[at];
    std::vector<std::string> command{program("mstune-agent"),
                                     "--insecure",
                                     "--listen",
                                     "tcp://127.0.0.1:" + box.port,
                                     "--work-dir",
                                     work_directory(at).string(),
                                     "--devices",
                                     std::to_string(at)};
    command.insert(command.end(), more.begin(), more.end());
    // The port of a killed agent may be taken for a moment.
    const bool listens = eventually([&] {
      box.agent = std::make_unique<Running>(command, place_.directory(),
                                            Variables{{"PATH", "/usr/bin:/bin"}});
      return says_its_port(*box.agent);
    });
    REQUIRE(listens);
    box.port = port_in(box.agent->output());
  }
  void stop(std::size_t at, int signal = SIGTERM) {
    if (boxes_[at].agent) {
      boxes_[at].agent->signal(signal);
      boxes_[at].agent->wait();
      boxes_[at].agent.reset();
    }
  }
  void use_cann(std::size_t at, const std::string& version) {
    fs::create_directories(home(at) / "opp");
    place_.write(fs::relative(home(at), place_.directory()).string() + "/set_env.sh", "true\n");
    place_.write(fs::relative(home(at), place_.directory()).string() + "/opp/version.info",
                 "Version=" + version + "\n");
  }

  void go() const { place_.write("go", ""); }
  [[nodiscard]] std::size_t starts() const {
    const std::string text = read_text(place_.directory() / "starts");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  Running tune(std::vector<std::string> more = {}) {
    more.insert(
        more.begin(),
        {"--inventory", "boxes.json", "--configs", "LoadBalance:4", "--order", "fixed", "--repeat",
         std::to_string(kRounds), "--run-command",
         "/bin/bash " + (place_.directory() / "wait.sh").string() +
             (std::find(more.begin(), more.end(), "offline") == more.end() ? "" : " {om}")});
    return place_.start_tune(more);
  }

  // All trials, each valid, and those of a round on one device; returns the summary.
  [[nodiscard]] json check_result(const Ended& ended) const {
    INFO(ended.output);
    CHECK(ended.status == 0);
    json summary = place_.summary();
    CHECK(summary.at("trials").size() == kTrials);
    std::map<int, int> device_of;  // by round
    for (const json& trial : summary.at("trials")) {
      CHECK(trial.at("valid") == true);
      const int device = trial.at("device");
      CHECK(device_of.emplace(trial.at("repeat").get<int>(), device).first->second == device);
    }
    CHECK(device_of.size() == kRounds);
    CHECK(summary.at("recommended") == "LoadBalance:4");
    CHECK(summary.at("summaries").at(0).at("speedup") == doctest::Approx(1.25));
    return summary;
  }

 private:
  struct Box {
    std::string port = "*";
    std::unique_ptr<Running> agent;
  };

  [[nodiscard]] fs::path home(std::size_t at) const {
    return place_.directory() / ("cann" + std::to_string(at));
  }

  Workplace place_;
  std::vector<Box> boxes_;
};

bool eventually_says(Running& running, const std::string& text) {
  return eventually([&] { return running.output().find(text) != std::string::npos; });
}

bool says(const Ended& ended, const std::string& text) {
  return ended.output.find(text) != std::string::npos;
}

// What stands in the summary of an agent, by its place in the inventory.
int valid_trials_of(const json& summary, std::size_t agent) {
  int valid = 0;
  for (const json& device : summary.at("devices")) {
    valid += device.at("agent") == agent ? device.at("valid_trials").get<int>() : 0;
  }
  return valid;
}

TEST_CASE("joining: who comes late takes part, unless its CANN is another one") {
  Boxes boxes(3);
  boxes.stop(1);
  boxes.stop(2);
  Running tune = boxes.tune();
  REQUIRE(eventually_says(tune, boxes.target(2) + " did not answer within"));
  REQUIRE(eventually([&] { return boxes.starts() == 1; }));
  boxes.use_cann(2, "8.1.RC1");
  boxes.start(2);
  CHECK(eventually_says(tune, "the campaign goes on without " + boxes.target(2) + ": CANN"));
  boxes.start(1);
  CHECK(eventually_says(tune, boxes.target(1) + " has answered: it takes part from now on"));
  CHECK(eventually([&] { return boxes.starts() == 2; }));
  boxes.go();
  const Ended ended = tune.wait();
  const json summary = boxes.check_result(ended);
  INFO(ended.output);
  CHECK(valid_trials_of(summary, 0) > 0);
  CHECK(valid_trials_of(summary, 1) > 0);
  CHECK(valid_trials_of(summary, 0) + valid_trials_of(summary, 1) == kTrials);
  CHECK(summary.at("devices").size() == 2);
  CHECK(summary.at("agents").at(1).at("state") == "ready");
  CHECK(summary.at("agents").at(2).at("state") == "given_up");
  CHECK(summary.at("agents").at(2).at("why").get<std::string>().find(
            "8.1.RC1 (" + boxes.target(2)) != std::string::npos);
  CHECK(says(ended, boxes.target(2) + " was given up: CANN versions must match"));
}

TEST_CASE("joining: who dies and comes back takes part again") {
  Boxes boxes(2);
  Running tune = boxes.tune({"--reconnect-grace", "1"});
  REQUIRE(eventually([&] { return boxes.starts() == 2; }));
  boxes.stop(1, SIGKILL);
  const bool is_missed = how_many(1) > 1;  // else it is back before: that takes seconds
  if (is_missed) {
    CHECK(eventually_says(tune, boxes.target(1) + " does not answer"));
    CHECK(eventually_says(tune, "the agent was lost while it ran this trial"));
  }
  boxes.start(1);
  if (is_missed) {
    CHECK(eventually_says(tune, boxes.target(1) + " is back"));
  }
  CHECK(eventually([&] { return boxes.starts() == 3; }));
  boxes.go();
  const Ended ended = tune.wait();
  const json summary = boxes.check_result(ended);
  INFO(ended.output);
  CHECK(valid_trials_of(summary, 0) > 0);
  CHECK(valid_trials_of(summary, 1) > 0);
  CHECK(summary.at("agents").at(1).at("state") == "ready");
  CHECK(fs::exists(boxes.place().run_directory() / "attempts"));
}

TEST_CASE("joining: who comes back with another CANN is done without, for good") {
  Boxes boxes(2);
  Running tune = boxes.tune();
  REQUIRE(eventually([&] { return boxes.starts() == 2; }));
  boxes.stop(1, SIGKILL);
  boxes.use_cann(1, "8.1.RC1");
  boxes.start(1);
  const std::string why = "8.1.RC1 (" + boxes.target(1) + ")";
  CHECK(eventually_says(tune, why));
  boxes.stop(1);
  boxes.use_cann(1, "9.2.0");
  boxes.start(1);
  boxes.go();
  const Ended ended = tune.wait();
  const json summary = boxes.check_result(ended);
  INFO(ended.output);
  CHECK(valid_trials_of(summary, 0) == kTrials);
  CHECK(summary.at("agents").at(1).at("state") == "given_up");
  CHECK(summary.at("agents").at(1).at("why").get<std::string>().find(why) != std::string::npos);
}

TEST_CASE("joining: the only agent that comes back with another CANN ends the campaign") {
  Boxes boxes(1);
  std::vector<std::string> more;
  SUBCASE("unless that is allowed") {
    more.emplace_back("--allow-mismatch");
  }
  SUBCASE("and says so") {}
  Running tune = boxes.tune(more);
  REQUIRE(eventually([&] { return boxes.starts() == 1; }));
  boxes.stop(0, SIGKILL);
  boxes.use_cann(0, "8.1.RC1");
  boxes.start(0);
  CHECK(eventually_says(tune, "CANN was 9.2.0 when the run was begun and is 8.1.RC1 now"));
  boxes.go();
  const Ended ended = tune.wait();
  INFO(ended.output);
  CHECK(ended.status == (more.empty() ? 2 : 0));
  CHECK(says(ended, "--allow-mismatch goes on all the same") == more.empty());
}

TEST_CASE("joining: an agent whose store has no room is done without") {
  Boxes boxes(2);
  boxes.stop(1);
  std::unique_ptr<SmallDisk> disk;
  std::string said;
  SUBCASE("because of its limit") {
    boxes.start(1, {"--store-limit", "1MB"});
    said = "raise --store-limit";
  }
  SUBCASE("because of its disk") {
    disk = std::make_unique<SmallDisk>(boxes.work_directory(1) / "store", "size=1m");
    if (!disk->is_there()) {
      MESSAGE("left out: this user may not mount a tmpfs");
      return;
    }
    boxes.start(1);
    said = (boxes.work_directory(1) / "store").string();
  }
  boxes.go();
  const std::string build = (boxes.place().directory() / "build.sh").string();
  const Ended ended = boxes
                          .tune({"--mode", "offline", "--allow-mismatch", "--compile-command",
                                 "/bin/bash " + build + " {om}"})
                          .wait();
  const json summary = boxes.check_result(ended);
  INFO(ended.output);
  CHECK(valid_trials_of(summary, 0) == kTrials);
  CHECK(summary.at("agents").at(1).at("state") == "given_up");
  CHECK(summary.at("agents").at(1).at("why").get<std::string>().find(said) != std::string::npos);
  CHECK(says(ended, "the campaign goes on without " + boxes.target(1)));
  CHECK(says(ended, "(measured on one device)"));
  CHECK_FALSE(boxes.agent(1).has_ended());
  boxes.stop(1);  // before its disk goes
}

}  // namespace
}  // namespace mstune::test
