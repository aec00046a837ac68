// Thousands of campaigns over many agents, each from its own seed.
#include <cstdint>
#include <map>
#include <string>

#include <doctest/doctest.h>

#include "tests/sim/fleet_world.h"

namespace mstune {
namespace {

using coordinator::Ending;
using coordinator::Spread;

// What must hold of every campaign, whatever befell it.
FleetReport run_fleet(const FleetPlan& plan, const FleetFaults& faults, std::uint64_t seed) {
  CAPTURE(seed);
  FleetReport report = FleetWorld(plan, faults, seed).run();
  INFO(report.transcript);
  REQUIRE(report.finish.has_value());  // it ends within the bound
  for (const std::string& wrong : report.wrong) {
    FAIL_CHECK(wrong);
  }
  if (report.finish->ending == Ending::complete) {
    // Every trial is there once: measured, or with the reason why not.
    CHECK(report.recorded_on.size() + report.voids.size() == report.trials);
  }
  for (const auto& [trial, code] : report.voids) {
    CHECK_FALSE(report.recorded_on.contains(trial));
  }
  for (const auto& [device, times] : report.given_up) {
    CHECK(times == 1);
  }
  return report;
}

FleetFaults everything() {
  FleetFaults faults;
  faults.crashes = 3;
  faults.absences = 3;
  faults.deaths = 1;
  faults.late = 1;
  faults.wrong = 1;
  faults.busy = 1;
  faults.slow = 1;
  faults.lost_permille = 20;
  return faults;
}

std::map<std::size_t, int> trials_by_device(const FleetReport& report) {
  std::map<std::size_t, int> counts;
  for (const auto& [trial, device] : report.recorded_on) {
    ++counts[device];
  }
  return counts;
}

TEST_CASE("fleet: without a fault every trial is measured once, and every device gets rounds") {
  FleetPlan plan;
  plan.rounds = 32;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const FleetReport report = run_fleet(plan, {}, seed);
    CHECK(report.finish->ending == Ending::complete);
    CHECK(report.recorded_on.size() == 96);
    CHECK(report.discarded == 0);
    CHECK(trials_by_device(report).size() == 8);
  }
}

TEST_CASE("fleet: replicate runs every round on every device") {
  FleetPlan plan;
  plan.spread = Spread::replicate;
  plan.rounds = 3;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const FleetReport report = run_fleet(plan, {}, seed);
    CHECK(report.trials == 8 * 9);
    for (const auto& [device, trials] : trials_by_device(report)) {
      CHECK(trials == 9);
    }
  }
}

TEST_CASE("fleet: share goes on with whoever is left, and nothing is missing") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const FleetReport report = run_fleet({}, everything(), seed);
    if (!report.healthy.empty()) {
      CHECK(report.finish->ending == Ending::complete);
      CHECK(report.voids.empty());
      CHECK(report.recorded_on.size() == 24);
    }
  }
}

TEST_CASE("fleet: replicate measures everything on agents that nothing befell") {
  FleetPlan plan;
  plan.spread = Spread::replicate;
  plan.rounds = 3;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const FleetReport report = run_fleet(plan, everything(), seed);
    if (!report.healthy.empty()) {
      CHECK(report.finish->ending == Ending::complete);
      CHECK(report.recorded_on.size() >= report.healthy.size() * 2 * 9);
    }
  }
}

TEST_CASE("fleet: offline, with builds that fail and disks that are full") {
  FleetPlan plan;
  plan.offline = true;
  FleetFaults faults = everything();
  faults.refused_uploads = 1;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    plan.spread = seed % 2 == 0 ? Spread::share : Spread::replicate;
    const FleetReport report = run_fleet(plan, faults, seed);
    if (!report.healthy.empty()) {
      CHECK(report.finish->ending == Ending::complete);
    }
  }
}

TEST_CASE("fleet: machines that are shared build, send and measure one after the other") {
  FleetPlan plan;
  plan.offline = true;
  plan.agents_per_machine = 2;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    plan.spread = seed % 2 == 0 ? Spread::share : Spread::replicate;
    plan.pipeline = seed % 4 < 2;
    plan.builds_on_first = seed % 8 < 4;
    plan.has_neighbours = seed % 16 < 8;
    const FleetReport report = run_fleet(plan, everything(), seed);
    if (!report.healthy.empty()) {
      CHECK(report.finish->ending == Ending::complete);
    }
  }
}

TEST_CASE("fleet: a pipeline ends sooner than waiting for all files does") {
  FleetPlan plan;
  plan.offline = true;
  plan.candidates = 8;
  plan.rounds = 4;
  plan.agents = 1;
  Duration patient{};
  Duration pipelined{};
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    plan.pipeline = false;
    patient += run_fleet(plan, {}, seed).took;
    plan.pipeline = true;
    pipelined += run_fleet(plan, {}, seed).took;
  }
  CHECK(pipelined < patient);
}

TEST_CASE("fleet: a campaign with one good agent left still ends with a result") {
  FleetPlan plan;
  plan.agents = 3;
  FleetFaults faults;
  faults.deaths = 2;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FleetReport report = run_fleet(plan, faults, seed);
    CHECK(report.finish->ending == Ending::complete);
    CHECK(report.recorded_on.size() == 24);
  }
}

TEST_CASE("fleet: an interrupt ends it in whatever state it is") {
  FleetFaults faults = everything();
  faults.interrupt = true;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    run_fleet({}, faults, seed);
  }
}

TEST_CASE("fleet: agents that are ten times slower do not keep the others from their work") {
  FleetPlan plan;
  plan.agents = 8;
  plan.rounds = 64;
  FleetFaults faults;
  faults.slow = 1;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const FleetReport report = run_fleet(plan, faults, seed);
    // 64 rounds of 3 trials of 4.5 s on 14 fast devices, and the last round of a slow one.
    CHECK(report.took < std::chrono::seconds(64 * 3 * 9 / 14 + 3 * 90));
  }
}

TEST_CASE("fleet: 256 agents of 8 devices") {
  FleetPlan plan;
  plan.agents = 256;
  plan.devices = 8;
  plan.rounds = 4096;
  FleetFaults faults = everything();
  faults.crashes = 40;
  faults.absences = 40;
  faults.deaths = 20;
  const FleetReport report = run_fleet(plan, faults, 1);
  CHECK(report.finish->ending == Ending::complete);
  CHECK(report.recorded_on.size() == 4096 * 3);
}

TEST_CASE("fleet: a coordinator that dies goes on, and what runs is run once") {
  FleetFaults faults;
  faults.restarts = 3;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    FleetPlan plan;
    plan.agents = 1 + seed % 4;
    plan.devices = 1 + seed % 3;
    plan.spread = seed % 2 == 0 ? Spread::share : Spread::replicate;
    const FleetReport report = run_fleet(plan, faults, seed);
    CHECK(report.finish->ending == Ending::complete);
    CHECK(report.recorded_on.size() == report.trials);
    CHECK(report.discarded == 0);
    CHECK(report.begun == report.trials);
  }
}

TEST_CASE("fleet: a coordinator that dies goes on, whatever befalls the agents") {
  FleetPlan plan;
  FleetFaults faults = everything();
  faults.restarts = 4;
  faults.refused_uploads = 1;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    plan.spread = seed % 2 == 0 ? Spread::share : Spread::replicate;
    plan.offline = seed % 3 == 0;
    const FleetReport report = run_fleet(plan, faults, seed);
    if (!report.healthy.empty()) {
      CHECK(report.finish->ending == Ending::complete);
    }
  }
}

TEST_CASE("fleet: a fifth of all messages lost and a fifth late, no device ever has two programs") {
  FleetFaults faults = everything();
  faults.absences = 8;
  faults.lost_permille = 200;
  std::uint64_t queued = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    FleetPlan plan;
    plan.spread = seed % 2 == 0 ? Spread::share : Spread::replicate;
    faults.restarts = seed % 3 == 0 ? 2 : 0;
    const FleetReport report = run_fleet(plan, faults, seed);
    if (!report.healthy.empty()) {
      CHECK(report.finish->ending == Ending::complete);
    }
    queued += report.queued;
  }
  CHECK(queued > 500);  // behind what the coordinator had given up, or had released in vain
}

TEST_CASE("fleet: the same seed gives the same transcript") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::string transcript = FleetWorld({}, everything(), seed).run().transcript;
    CHECK_FALSE(transcript.empty());
    CHECK(transcript == FleetWorld({}, everything(), seed).run().transcript);
  }
}

}  // namespace
}  // namespace mstune
