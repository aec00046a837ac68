// A network that is cut, silent, halved or slow for a while: no trial is lost to it as long as the
// grace time is not over, and no line is lost or doubled.
#include <csignal>
#include <random>

#include <doctest/doctest.h>

#include "tests/system/fault_place.h"
#include "tests/system/proxy.h"

namespace mstune::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kSteps = 40;
constexpr int kPauseMs = 20;

// Every trial at its first attempt, with every step once.
void check_undisturbed(FaultPlace& faults, const Ended& ended) {
  INFO(ended.output);
  CHECK(ended.status == 0);
  for (const auto& trial : faults.place().trials()) {
    CHECK(trial.at("attempt") == 1);
  }
  CHECK(faults.comparable_summary() == undisturbed_summary(kSteps));
  CHECK(eventually([&] { return faults.is_tidy(); }));
}

// Waits until the first trial has written something, so that the fault hits a running one.
void wait_for_steps(FaultPlace& faults) {
  CHECK(eventually([&] {
    return faults.place().has_run_directory() &&
           !read_text(faults.place().run_directory() / "trial_000_default_r1/steps.log").empty();
  }));
}

TEST_CASE("network: connections that are cut again and again cost nothing") {
  FaultPlace faults;
  Proxy proxy(faults.port());
  faults.aim_at(proxy.port());
  Running tune = faults.start(faults.steps_command(kSteps, kPauseMs));
  std::mt19937_64 random(1);
  while (!eventually([&] { return tune.has_ended(); }, milliseconds(20 + random() % 400))) {
    proxy.cut();
  }
  check_undisturbed(faults, tune.wait());
}

TEST_CASE("network: a pulled cable is noticed, and healed within the grace time it costs nothing") {
  FaultPlace faults;
  Proxy proxy(faults.port());
  faults.aim_at(proxy.port());
  Running tune = faults.start(faults.steps_command(kSteps, kPauseMs));
  wait_for_steps(faults);
  proxy.become(Network::silent);
  CHECK(eventually(
      [&] { return tune.output().find("the agent does not answer") != std::string::npos; },
      seconds(12)));
  proxy.become(Network::whole);
  check_undisturbed(faults, tune.wait());
}

TEST_CASE("network: half a network is no network, and healed it costs nothing") {
  FaultPlace faults;
  Proxy proxy(faults.port());
  faults.aim_at(proxy.port());
  Running tune = faults.start(faults.steps_command(kSteps, kPauseMs));
  wait_for_steps(faults);
  for (const Network half : {Network::only_from_agent, Network::only_to_agent}) {
    proxy.become(half);
    // Long enough for either side to lose patience and to greet anew.
    static_cast<void>(eventually([&] { return tune.has_ended(); }, milliseconds(3500)));
    proxy.become(Network::whole);
    static_cast<void>(eventually([&] { return tune.has_ended(); }, milliseconds(500)));
  }
  check_undisturbed(faults, tune.wait());
}

TEST_CASE("network: a slow one carries everything, later") {
  FaultPlace faults;
  Proxy proxy(faults.port());
  faults.aim_at(proxy.port());
  proxy.limit_rate(60'000);
  check_undisturbed(faults, faults.start(faults.steps_command(kSteps, 1)).wait());
}

// Offline, with OMs of 3 MB that do not compress and have nothing in common.
std::vector<std::string> big_oms(FaultPlace& faults) {
  faults.place().write("build.sh", "head -c 3000000 /dev/urandom > \"$1\"\n");
  faults.write_offline_run();
  const std::string directory = faults.directory().string();
  return {"--target",
          "target.json",
          "--mode",
          "offline",
          "--configs",
          "LoadBalance:4",
          "--repeat",
          "1",
          "--retries",
          "0",
          "--json-lines",
          "--compile-command",
          "/bin/bash " + directory + "/build.sh {om}",
          "--run-command",
          "/bin/bash " + directory + "/run.sh {om}"};
}

TEST_CASE("retries: an upload that breaks again and again goes on where it was") {
  FaultPlace faults;
  Proxy proxy(faults.port());
  proxy.limit_rate(2'000'000);  // no OM gets through between two cuts
  faults.aim_at(proxy.port());
  Running tune = faults.place().start_tune(big_oms(faults));
  CHECK(eventually([&] { return tune.output().find("build_done") != std::string::npos; }));
  std::mt19937_64 random(2);
  int cuts = 0;
  while (!eventually(
      [&] { return tune.has_ended() || tune.output().find("trial_started") != std::string::npos; },
      milliseconds(400 + random() % 400))) {
    proxy.cut();
    ++cuts;
  }
  const Ended ended = tune.wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(cuts >= 3);
  const auto trials = faults.place().summary().at("trials");
  CHECK(trials.size() == 2);
  for (const auto& trial : trials) {
    CHECK(trial.at("valid") == true);
    CHECK(trial.at("attempt") == 1);
  }
}

}  // namespace
}  // namespace mstune::test
