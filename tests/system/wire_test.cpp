// The wire as protocol/README.md describes it: a client and an agent in Python that were written
// from the page, against the real programs; and programs of other versions of the protocol.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <doctest/doctest.h>

#include "tests/system/campaign.h"
#include "tests/system/guarded_agent.h"
#include "tests/system/keys.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;

TEST_CASE("wire: a client written from the protocol's page runs a trial") {
  passes("run");
}

TEST_CASE("wire: fields and tags of a newer minor version are passed over") {
  passes("next_version");
}

TEST_CASE("wire: coordinators of other major versions hear which of the two to upgrade") {
  passes("other_major");
}

TEST_CASE("wire: what is no UTF-8 comes back byte for byte, and GE's EVENT lines come") {
  passes("bytes");
}

TEST_CASE("wire: each request about a trial that is not there gets the answer of the page") {
  passes("unknown_keys");
}

TEST_CASE("wire: a second connection of a campaign takes over") {
  passes("second_connection");
}

TEST_CASE("wire: uploads go in pages, one after the other, and go on where they broke off") {
  passes("uploads");
}

// agent.py, which speaks one version of the protocol.
class PythonAgent {
 public:
  PythonAgent(Workplace& place, const std::string& version, std::vector<std::string> options = {})
      : place_(place), running_(start(place, version, std::move(options))) {
    CHECK(eventually([&] { return !port_in(running_.output()).empty(); }));
    place.write("target.json", R"({"host": "127.0.0.1", "port": )" + port_in(running_.output()) +
                                   R"(, "server_key": ")" + public_key(place) + "\"}");
  }
  ~PythonAgent() {
    running_.signal(SIGTERM);
    running_.wait();
  }
  PythonAgent(const PythonAgent&) = delete;
  PythonAgent& operator=(const PythonAgent&) = delete;

  Ended tune(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--target", "target.json"});
    Ended ended = place_.tune(std::move(arguments));
    ended.output += "\n" + running_.output();
    return ended;
  }

 private:
  static Running start(Workplace& place, const std::string& version,
                       std::vector<std::string> options) {
    make_keys(place);
    options.insert(options.begin(),
                   {"/usr/bin/python3", MSTUNE_PYTHON_AGENT, "*",
                    (place.directory() / "agent.key").string(), "--version", version});
    return place.start(options);
  }

  Workplace& place_;
  Running running_;
};

const std::vector<std::string> kOnline{"--run-command", program("sample_run") + " --steps 12",
                                       "--configs",     "default,MainStream:2",
                                       "--repeat",      "1",
                                       "--order",       "fixed"};

void check_campaign(Workplace& place, const Ended& ended) {
  INFO(ended.output);
  CHECK(ended.status == 0);
  const auto trials = place.trials();
  CHECK(trials.size() == 2);
  for (const auto& trial : trials) {
    CHECK(trial.at("valid") == true);
    CHECK(trial.at("step_count") == 13);
  }
}

TEST_CASE("wire: mstune tunes through an agent written from the protocol's page") {
  Workplace place;
  PythonAgent agent(place, "2");
  const Ended ended = agent.tune(kOnline);
  check_campaign(place, ended);
  CHECK(ended.output.find("scripts/install-agent.sh") == std::string::npos);
  // Facts go into trial.json, and what is not known yet does no harm.
  const auto trial =
      nlohmann::json::parse(read_text(place.run_directory() / "trial_000_default_r1/trial.json"));
  CHECK(trial.at("facts").at("plog_files") > 0);
  CHECK(trial.at("facts").at("a_fact_of_tomorrow") == "x");
  CHECK_FALSE(trial.at("facts").contains("a_type_of_tomorrow"));
}

TEST_CASE("wire: a frame that is too large costs its connection, and nothing else") {
  Workplace place;
  PythonAgent agent(place, "2", {"--oversized"});
  const auto began = std::chrono::steady_clock::now();
  const Ended ended = agent.tune(kOnline);
  check_campaign(place, ended);
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(60));
  for (const auto& trial : place.trials()) {
    CHECK(trial.at("attempt") == 1);
  }
}

TEST_CASE("wire: OMs reach an agent written from the protocol's page") {
  Workplace place;
  PythonAgent agent(place, "2");
  const Ended ended = agent.tune(
      {"--mode", "offline", "--compile-command",
       "atc --model=" + model("wide") + " --soc_version=Ascend910B2 --output={om_prefix}",
       "--run-command", program("sample_infer") + " --om {om} --loop 8", "--configs",
       "default,MainStream:2", "--repeat", "1"});
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(place.trials().size() == 2);
}

TEST_CASE("wire: an agent of version 1 is used, and it is said that it is to be upgraded") {
  Workplace place;
  PythonAgent agent(place, "1");
  const Ended ended = agent.tune(kOnline);
  check_campaign(place, ended);
  CHECK(ended.output.find("version 1 of the protocol") != std::string::npos);
  CHECK(ended.output.find("upgrade it with scripts/install-agent.sh") != std::string::npos);
}

TEST_CASE("wire: an agent of a version to come says that the coordinator is to be upgraded") {
  Workplace place;
  PythonAgent agent(place, "3");
  const Ended ended = agent.tune(kOnline);
  INFO(ended.output);
  CHECK(ended.status == 2);
  CHECK(ended.output.find("upgrade the coordinator") != std::string::npos);
}

// The programs of before, where somebody has them: MSTUNE_BEFORE is their directory.
std::string program_of_before(const std::string& name) {
  const char* directory = std::getenv("MSTUNE_BEFORE");
  return directory == nullptr ? std::string() : (fs::path(directory) / name).string();
}

TEST_CASE("wire: the agent of before serves this coordinator" *
          doctest::skip(program_of_before("mstune-agent").empty())) {
  Workplace place;
  make_keys(place);
  std::vector<std::string> command{program_of_before("mstune-agent"), "--listen",
                                   "tcp://127.0.0.1:*", "--work-dir",
                                   (place.directory() / "agent").string()};
  for (const std::string& option : key_options(place)) {
    command.push_back(option);
  }
  Running agent = place.start(command);
  CHECK(eventually([&] { return !port_in(agent.output()).empty(); }));
  place.write("target.json", R"({"host": "127.0.0.1", "port": )" + port_in(agent.output()) +
                                 R"(, "server_key": ")" + public_key(place) + "\"}");
  std::vector<std::string> arguments = kOnline;
  arguments.insert(arguments.end(), {"--target", "target.json"});
  const Ended ended = place.tune(arguments);
  check_campaign(place, ended);
  CHECK(ended.output.find("upgrade it with scripts/install-agent.sh") != std::string::npos);
  agent.signal(SIGTERM);
  agent.wait();
}

TEST_CASE("wire: the coordinator of before hears from this agent that it is to be upgraded" *
          doctest::skip(program_of_before("mstune").empty())) {
  Workplace place;
  GuardedAgent agent(place);
  place.write("target.json", R"({"host": "127.0.0.1", "port": )" + agent.port() +
                                 R"(, "server_key": ")" + public_key(place) + "\"}");
  std::vector<std::string> arguments{
      program_of_before("mstune"),          "tune",     "--output-dir",
      (place.directory() / "out").string(), "--target", "target.json"};
  arguments.insert(arguments.end(), kOnline.begin(), kOnline.end());
  const Ended ended = place.run(arguments);
  INFO(ended.output);
  CHECK(ended.status == 2);
  CHECK(ended.output.find("upgrade the coordinator, by installing mstune") != std::string::npos);
}

}  // namespace
}  // namespace mstune::test
