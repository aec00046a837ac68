// Two campaigns on one machine: what one builds and sends there, and what the other measures.
#include <csignal>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "tests/system/agent.h"
#include "tests/system/box.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;

std::string atc() {
  return "atc --model=" + model("chain") + " --soc_version=Ascend910B2 --output={om_prefix}";
}

std::string infer() {
  return program("sample_infer") + " --om {om} --loop 8";
}

// Runs a command as one that builds or measures; fails when somebody does the other thing
// meanwhile.
std::string as(const Workplace& place, const std::string& what, const std::string& command) {
  const std::string other = what == "builds" ? "measures" : "builds";
  const std::string mine = (place.directory() / what).string();
  const std::string met =
      "ls -d " + (place.directory() / other).string() + ".* 2>/dev/null && exit 9";
  return "bash -c 'trap \"rm -rf " + mine + ".$$\" EXIT; mkdir " + mine + ".$$; touch " + mine +
         "_begun; " + met + "; " + command + "; status=$?; sleep 0.05; " + met + "; exit $status'";
}

// A campaign of its own coordinator, with a directory of its own.
std::vector<std::string> campaign(const Workplace& place, const std::string& name,
                                  std::vector<std::string> more) {
  more.insert(more.begin(),
              {program("mstune"), "tune", "--output-dir", (place.directory() / name).string()});
  return more;
}

std::vector<std::string> online(const Workplace& place, const std::string& name,
                                const std::string& command) {
  return campaign(place, name, {"--run-command", command, "--repeat", "1", "--configs", "default"});
}

std::vector<std::string> offline(const Workplace& place, const std::string& name,
                                 const std::string& build, const std::string& run) {
  return campaign(place, name,
                  {"--mode", "offline", "--compile-command", build, "--run-command", run,
                   "--repeat", "1", "--configs", "LoadBalance:2"});
}

// A command that says that it has begun, and goes on until it is told.
std::string held(const Workplace& place, const std::string& name, const std::string& then) {
  const std::string at = (place.directory() / name).string();
  return "bash -c 'touch " + at + ".begun; until [ -e " + at + ".go ]; do sleep 0.02; done; " +
         then + "'";
}

bool has_begun(const Workplace& place, const std::string& name) {
  return eventually([&] { return fs::exists(place.directory() / (name + ".begun")); });
}

void let_go(const Workplace& place, const std::string& name) {
  place.write(name + ".go", "");
}

TEST_CASE("turns: of two campaigns on one machine none builds while the other measures") {
  Workplace place;
  // Both go on for a while; each build and each trial fails when it meets one of the other kind.
  Running measuring = place.start(
      campaign(place, "measuring",
               {"--run-command", as(place, "measures", program("sample_run") + " --steps 12"),
                "--repeat", "10", "--configs", "LoadBalance:4"}));
  CHECK(eventually([&] { return fs::exists(place.directory() / "measures_begun"); }));
  Running building =
      place.start(campaign(place, "building",
                           {"--mode", "offline", "--compile-command", as(place, "builds", atc()),
                            "--run-command", as(place, "measures", infer()), "--repeat", "2",
                            "--configs", "LoadBalance:2,LoadBalance:3,LoadBalance:4"}));
  for (Running* running : {&measuring, &building}) {
    const Ended ended = running->wait();
    INFO(ended.output);
    CHECK(ended.status == 0);
    CHECK(ended.output.find("void") == std::string::npos);
  }
}

TEST_CASE("turns: a trial waits for the build of another campaign, and says so") {
  Workplace place;
  Running builder = place.start(offline(place, "builder", held(place, "build", atc()), infer()));
  REQUIRE(has_begun(place, "build"));
  std::vector<std::string> hasty = online(place, "hasty", program("sample_run") + " --steps 12");
  hasty.insert(hasty.end(), {"--wait-timeout", "0.5"});
  const Ended gave_up = place.run(hasty);
  INFO(gave_up.output);
  CHECK(
      gave_up.output.find("something was built on the agent's machine or sent from it, for 500 ms "
                          "(--wait-timeout)") != std::string::npos);
  Running patient = place.start(online(place, "patient", program("sample_run") + " --steps 12"));
  CHECK(eventually([&] {
    return patient.output().find("another campaign builds or sends there") != std::string::npos;
  }));
  SUBCASE("that ends") {
    let_go(place, "build");
  }
  SUBCASE("whose coordinator is killed") {
    builder.signal(SIGKILL);
  }
  const Ended ended = patient.wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  builder.wait();
}

TEST_CASE("turns: a build waits for the trial of another campaign, and says so") {
  Workplace place;
  Agent agent(place);
  write_target(place, agent.port(), "");
  std::vector<std::string> other =
      online(place, "other", held(place, "trial", "exec " + program("sample_run") + " --steps 12"));
  other.insert(other.end(), {"--target", "target.json"});
  Running measuring = place.start(other);
  REQUIRE(has_begun(place, "trial"));
  Running builder = place.start(offline(place, "builder", held(place, "build", atc()), infer()));
  CHECK(eventually([&] {
    return builder.output().find("builds and uploads wait: a trial is running on this machine") !=
           std::string::npos;
  }));
  CHECK_FALSE(fs::exists(place.directory() / "build.begun"));
  SUBCASE("that ends") {
    let_go(place, "trial");
    CHECK(has_begun(place, "build"));
    CHECK(measuring.wait().status == 0);
  }
  SUBCASE("whose agent is killed") {
    agent.running().signal(SIGKILL);
    CHECK(has_begun(place, "build"));
    measuring.signal(SIGINT);
    let_go(place, "trial");
    measuring.signal(SIGINT);
  }
  let_go(place, "build");
  const Ended ended = builder.wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
}

TEST_CASE("turns: a trial that waits for somebody else's device lets others build meanwhile") {
  Workplace place;
  occupy_device(place);
  Box box(place, "box", {"--devices", "0", "--busy-wait", "200"});
  write_inventory(place, {box.port()});
  std::vector<std::string> command = online(place, "waiting", held(place, "trial", "true"));
  command.insert(command.end(), {"--inventory", "boxes.json"});
  Running waiting = place.start(command);
  CHECK(eventually([&] { return waiting.output().find("47928") != std::string::npos; }));
  Running builder = place.start(offline(place, "builder", held(place, "build", atc()), infer()));
  CHECK(has_begun(place, "build"));
  place.write("state.json", R"({"devices": [{"card": 0}]})");
  let_go(place, "build");
  CHECK(has_begun(place, "trial"));
  let_go(place, "trial");
  builder.wait();
  waiting.wait();
}

TEST_CASE("turns: the builds of two campaigns leave a third one its pause" *
          doctest::skip(!is_long())) {
  Workplace place;
  const auto building = [&](const std::string& name) {
    return campaign(place, name,
                    {"--mode", "offline", "--compile-command",
                     "bash -c 'touch " + (place.directory() / name).string() +
                         ".begun; sleep 0.8; " + atc() + "'",
                     "--run-command", infer(), "--repeat", "1", "--configs",
                     "LoadBalance:2,LoadBalance:3,LoadBalance:4,LoadBalance:5,LoadBalance:6"});
  };
  Running one = place.start(building("one"));
  REQUIRE(has_begun(place, "one"));
  Running two = place.start(building("two"));
  REQUIRE(has_begun(place, "two"));
  const Ended measured =
      place.run(online(place, "measuring", program("sample_run") + " --steps 12"));
  INFO(measured.output);
  CHECK(measured.status == 0);
  CHECK(one.output().find("[build] LoadBalance:6") == std::string::npos);
  CHECK(two.output().find("[build] LoadBalance:6") == std::string::npos);
  for (Running* running : {&one, &two}) {
    CHECK(running->wait().status == 0);
  }
}

TEST_CASE("turns: a campaign that is resumed waits for its own trial, and takes it up") {
  Workplace place;
  Agent agent(place);
  write_target(place, agent.port(), "");
  std::vector<std::string> command =
      offline(place, "resumed", atc(), held(place, "trial", "exec " + infer()));
  command.insert(command.end(), {"--target", "target.json"});
  Running killed = place.start(command);
  REQUIRE(has_begun(place, "trial"));
  killed.signal(SIGKILL);
  killed.wait();
  const fs::path run = fs::directory_iterator(place.directory() / "resumed")->path();
  command.insert(command.end(), {"--resume", run.string()});
  Running resumed = place.start(command);
  CHECK(eventually([&] {
    return resumed.output().find("builds and uploads wait: a trial is running") !=
           std::string::npos;
  }));
  let_go(place, "trial");
  const Ended ended = resumed.wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK_FALSE(fs::exists(run / "attempts"));
}

}  // namespace
}  // namespace mstune::test
