// Campaigns with faults, each from its own seed: hundreds, and with MSTUNE_TEST_LONG thousands.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "tests/sim/campaign_world.h"

namespace mstune {
namespace {

using coordinator::Ending;

constexpr std::size_t kTrials = 9;

// So many seeds are tried, from 0 on.
std::uint64_t seeds(std::uint64_t normally) {
  return std::getenv("MSTUNE_TEST_LONG") == nullptr ? normally : 20 * normally;
}

// What must hold of every campaign, whatever befell it.
CampaignReport run_campaign(const CampaignFaults& faults, std::uint64_t seed) {
  CAPTURE(seed);
  CampaignReport report = CampaignWorld(faults, seed).run();
  INFO(report.transcript);
  REQUIRE(report.finish.has_value());  // it ends within the bound
  for (const std::string& wrong : report.wrong) {
    FAIL_CHECK(wrong);
  }
  for (const auto& [trial, times] : report.recorded) {
    CHECK(times == 1);
    CHECK_FALSE(report.voids.contains(trial));
  }
  const std::set<std::string> known{"agent_lost", "build_failed"};
  for (const auto& [trial, code] : report.voids) {
    CHECK(known.contains(code));
  }
  const std::size_t accounted = report.recorded.size() + report.voids.size();
  if (report.finish->ending == Ending::complete) {
    CHECK(accounted == kTrials);
  } else {
    CHECK_FALSE(report.finish->why.text.empty());
    CHECK((faults.interrupt || faults.restarts + faults.cuts + faults.pauses > 0));
  }
  return report;
}

void run_campaigns(const CampaignFaults& faults, std::uint64_t count) {
  std::uint64_t complete = 0;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    const CampaignReport report = run_campaign(faults, seed);
    complete += report.finish && report.finish->ending == Ending::complete ? 1U : 0U;
  }
  if (!faults.interrupt) {
    CHECK(complete > count * 9 / 10);
  }
}

TEST_CASE("campaign: without a fault every trial is recorded at its first attempt") {
  for (std::uint64_t seed = 0; seed < seeds(30); ++seed) {
    const CampaignReport report = run_campaign({}, seed);
    CHECK(report.recorded.size() == kTrials);
    CHECK(report.transcript.find("discard") == std::string::npos);
  }
}

TEST_CASE("campaign: a connection that breaks or loses messages costs no attempt") {
  CampaignFaults faults;
  faults.loss_permille = 20;
  faults.repeat_permille = 30;
  faults.breaks = 15;
  for (std::uint64_t seed = 0; seed < seeds(50); ++seed) {
    const CampaignReport report = run_campaign(faults, seed);
    CHECK(report.recorded.size() == kTrials);
    CHECK(report.transcript.find("discard") == std::string::npos);
  }
}

TEST_CASE("campaign: cuts of the network, short and longer than the grace time") {
  CampaignFaults faults;
  faults.cuts = 5;
  faults.breaks = 3;
  faults.loss_permille = 5;
  run_campaigns(faults, seeds(50));
}

TEST_CASE("campaign: agents that die and come back") {
  CampaignFaults faults;
  faults.restarts = 4;
  faults.breaks = 3;
  faults.repeat_permille = 10;
  run_campaigns(faults, seeds(50));
}

TEST_CASE("campaign: programs that are stopped for a while, on either side") {
  CampaignFaults faults;
  faults.pauses = 2;
  faults.cuts = 1;
  run_campaigns(faults, seeds(50));
}

TEST_CASE("campaign: everything at once, online and offline") {
  CampaignFaults faults;
  faults.loss_permille = 10;
  faults.repeat_permille = 10;
  faults.breaks = 5;
  faults.cuts = 2;
  faults.restarts = 2;
  faults.pauses = 1;
  run_campaigns(faults, seeds(50));
  faults.offline = true;
  run_campaigns(faults, seeds(50));
}

TEST_CASE("campaign: an interrupt ends it in whatever state it is") {
  CampaignFaults faults;
  faults.interrupt = true;
  faults.loss_permille = 30;
  faults.breaks = 3;
  faults.cuts = 1;
  run_campaigns(faults, seeds(50));
  faults.offline = true;
  run_campaigns(faults, seeds(25));
}

TEST_CASE("campaign: the same seed gives the same transcript") {
  CampaignFaults faults;
  faults.loss_permille = 10;
  faults.repeat_permille = 10;
  faults.breaks = 5;
  faults.restarts = 2;
  for (std::uint64_t seed = 0; seed < seeds(5); ++seed) {
    const std::string transcript = CampaignWorld(faults, seed).run().transcript;
    CHECK_FALSE(transcript.empty());
    CHECK(transcript == CampaignWorld(faults, seed).run().transcript);
    CHECK(transcript != CampaignWorld(faults, seed + 1).run().transcript);
  }
}

}  // namespace
}  // namespace mstune
