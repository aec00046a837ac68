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
  for (const auto& trial : faults.place().summary().at("trials")) {
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

}  // namespace
}  // namespace mstune::test
