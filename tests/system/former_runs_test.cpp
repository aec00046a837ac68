// Run directories that mstune 0.1 wrote, one of each kind: they are still read, and still go on.
#include <algorithm>
#include <array>

#include <doctest/doctest.h>

#include "common/os/file.h"
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

TEST_CASE("former: runs of mstune 0.1 are read by analyze, report, compare and export") {
  Workplace place;
  for (const char* kind : kWhole) {
    CAPTURE(kind);
    const fs::path run = copy_of(place, kind);
    const json summary = json::parse(read_text(run / "summary.json"));
    const Ended analyzed = mstune(place, {"analyze", "--json", run.string()});
    INFO(analyzed.output);
    REQUIRE(analyzed.status == 0);
    CHECK(comparable(json::parse(analyzed.output)) == comparable(summary));
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
    json expected = before;
    expected.erase("working_directory");
    CHECK(comparable(after) == comparable(expected));
    CHECK_FALSE(fs::exists(run / "attempts"));
  }
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
  CHECK(std::all_of(summary.at("trials").begin(), summary.at("trials").end(),
                    [](const json& trial) { return trial.at("valid") == true; }));
}

}  // namespace
}  // namespace mstune::test
