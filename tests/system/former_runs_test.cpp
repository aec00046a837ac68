// Run directories that mstune 0.1 wrote, one of each kind: they are still read, and still go on.
#include <algorithm>
#include <array>
#include <memory>

#include <doctest/doctest.h>

#include "common/os/file.h"
#include "common/version.h"
#include "tests/system/box.h"
#include "tests/system/fault_place.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::array<const char*, 7> kWhole{
    "online", "control", "until_proven", "refine_confirm", "offline", "replicate", "share"};

// A copy that may be written to.
fs::path copy_of(Workplace& place, const std::string& kind) {
  const fs::path copy = place.directory() / "out" / kind;
  fs::create_directories(copy.parent_path());
  fs::copy(fs::path(MSTUNE_FORMER_RUNS) / kind, copy, fs::copy_options::recursive);
  return copy;
}

Ended mstune(Workplace& place, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program("mstune"));
  return place.run(arguments);
}

std::vector<std::string> as_it_was_asked(const json& campaign) {
  std::vector<std::string> arguments{"--run-command", campaign.at("command"),
                                     "--configs",     "LoadBalance:4",
                                     "--order",       campaign.at("order")};
  if (campaign.at("max_repeat").is_null()) {
    arguments.insert(arguments.end(),
                     {"--repeat", std::to_string(campaign.at("repeat").get<int>())});
  } else {
    arguments.insert(arguments.end(), {"--until-proven", "--max-repeat",
                                       std::to_string(campaign.at("max_repeat").get<int>())});
  }
  if (campaign.at("control_runs") == true) {
    arguments.emplace_back("--aa");
  }
  if (campaign.at("refine") == true) {
    arguments.emplace_back("--refine");
  }
  if (campaign.at("confirm_rounds") != 0) {
    arguments.insert(arguments.end(),
                     {"--confirm", std::to_string(campaign.at("confirm_rounds").get<int>())});
  }
  if (campaign.at("mode") == "offline") {
    arguments.insert(arguments.end(),
                     {"--mode", "offline", "--compile-command", campaign.at("compile_command")});
  }
  return arguments;
}

// The summary of a former run as it is written today: its trials have keys that it did not know.
json as_of_today(json summary) {
  for (json& trial : summary.at("trials")) {
    trial["cause"] = nullptr;
    trial["cause_code"] = nullptr;
  }
  return summary;
}

TEST_CASE("former: runs of mstune 0.1 are read by analyze, report, compare and export") {
  Workplace place;
  for (const char* kind : kWhole) {
    CAPTURE(kind);
    const fs::path run = copy_of(place, kind);
    const json summary = json::parse(read_text(run / "summary.json"));
    const Ended analyzed = mstune(place, {"analyze", "--json", run.string()});
    INFO(analyzed.output);
    REQUIRE(analyzed.status == 0);
    check_same(comparable(json::parse(analyzed.output)), comparable(as_of_today(summary)));
    CHECK(mstune(place, {"report", run.string()}).status == 0);
    CHECK(fs::exists(run / "report.html"));
    CHECK(mstune(place, {"compare", run.string(), run.string()}).status == 0);
    const Ended exported = mstune(place, {"export", run.string()});
    INFO(exported.output);
    CHECK(exported.status == 0);
  }
}

TEST_CASE("former: whole runs of mstune 0.1 are resumed, and nothing of them runs again") {
  Workplace place;
  for (const char* kind : {"online", "control", "until_proven", "refine_confirm", "offline"}) {
    CAPTURE(kind);
    const fs::path run = copy_of(place, kind);
    const json before = json::parse(read_text(run / "summary.json"));
    std::vector<std::string> arguments = as_it_was_asked(before);
    arguments.insert(arguments.end(), {"--resume", run.string()});
    const Ended ended = place.tune(arguments);
    INFO(ended.output);
    CHECK(ended.status == 0);
    json after = json::parse(read_text(run / "summary.json"));
    after.erase("working_directory");
    json expected = as_of_today(before);
    expected.erase("working_directory");
    expected.at("versions").at("mstune") = kVersion;  // who wrote this summary
    check_same(comparable(after), comparable(expected));
    CHECK_FALSE(fs::exists(run / "attempts"));
  }
}

bool all_valid(const json& summary) {
  const json& trials = summary.at("trials");
  return std::all_of(trials.begin(), trials.end(),
                     [](const json& trial) { return trial.at("valid") == true; });
}

TEST_CASE("former: a run that mstune 0.1 did not finish is finished") {
  Workplace place;
  write_steps_program(place);
  const fs::path run = copy_of(place, "killed");
  json campaign = json::parse(read_text(run / "campaign.json"));
  campaign["command"] = steps_command(place, 8, 0);
  os::write_file_atomically(run / "campaign.json", campaign.dump());
  std::vector<std::string> arguments = as_it_was_asked(campaign);
  arguments.insert(arguments.end(), {"--resume", run.string()});
  const Ended ended = place.tune(arguments);
  INFO(ended.output);
  CHECK(ended.status == 0);
  const json summary = json::parse(read_text(run / "summary.json"));
  REQUIRE(summary.at("trials").size() == 4);
  CHECK(all_valid(summary));
}

// Two agents with the devices of then, on this machine and at other ports.
class FormerFleet {
 public:
  FormerFleet() {
    place_.environment()["PATH"] = "/usr/bin:/bin";  // as then: no npu-smi tells of chips
    write_steps_program(place_);
    const auto box = [this](const char* device) {
      return std::make_unique<Box>(place_, std::string("box") + device,
                                   std::vector<std::string>{"--devices", device});
    };
    zero_ = box("0");
    one_ = box("1");
    write_inventory(place_, {zero_->port(), one_->port()});
  }

  Workplace& place() { return place_; }

  // Goes on with it, as it was asked for; the machine of then was another one.
  Ended resume(const fs::path& run) {
    json campaign = json::parse(read_text(run / "campaign.json"));
    campaign["command"] = steps_command(place_, 8, 0);
    os::write_file_atomically(run / "campaign.json", campaign.dump());
    std::vector<std::string> arguments = as_it_was_asked(campaign);
    arguments.insert(arguments.end(),
                     {"--inventory", "boxes.json", "--spread", campaign.at("spread"),
                      "--allow-mismatch", "--resume", run.string()});
    return place_.tune(arguments);
  }

 private:
  Workplace place_;
  std::unique_ptr<Box> zero_;
  std::unique_ptr<Box> one_;
};

// Without what tells where it ran this time.
json without_agents(const json& summary) {
  json result = comparable(summary);
  result.erase("agents");
  result.erase("versions");
  return result;
}

TEST_CASE("former: runs of mstune 0.1 over several agents are resumed, whole or not") {
  FormerFleet fleet;
  const std::array<std::pair<const char*, const char*>, 2> kinds{
      {{"share", "trial_003_default_r2_d1"}, {"replicate", "trial_007_LoadBalance4_r2_d1"}}};
  for (const auto& [kind, last] : kinds) {
    CAPTURE(kind);
    const fs::path run = copy_of(fleet.place(), kind);
    const json before = json::parse(read_text(run / "summary.json"));
    const Ended whole = fleet.resume(run);
    INFO(whole.output);
    CHECK(whole.status == 0);
    check_same(without_agents(json::parse(read_text(run / "summary.json"))),
               without_agents(as_of_today(before)));
    CHECK_FALSE(fs::exists(run / "attempts"));
    fs::remove_all(run / last);
    const Ended part = fleet.resume(run);
    INFO(part.output);
    CHECK(part.status == 0);
    CHECK(fs::exists(run / last / "trial.json"));
    const json after = json::parse(read_text(run / "summary.json"));
    CHECK(after.at("trials").size() == before.at("trials").size());
    CHECK(all_valid(after));
    CHECK_FALSE(fs::exists(run / "attempts"));
  }
}

}  // namespace
}  // namespace mstune::test
