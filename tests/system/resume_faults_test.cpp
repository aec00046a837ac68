// Going on with a run after what should not hinder it: a connection that broke, an agent that was
// given up, a last message that was not sent, files that somebody deleted.
#include <algorithm>
#include <csignal>

#include <doctest/doctest.h>

#include "common/os/file.h"
#include "tests/system/fault_place.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string waiting_command(FaultPlace& faults) {
  const std::string directory = faults.directory().string();
  faults.place().write("wait.sh", "echo x >> " + directory + "/starts\nuntil [ -e " + directory +
                                      "/go ]; do read -r -t .02 nothing <> <(:); done\nexec " +
                                      faults.steps_command(10, 1) + "\n");
  return "/bin/bash " + directory + "/wait.sh";
}

json campaign_of(const Workplace& place) {
  return json::parse(read_text(place.run_directory() / "campaign.json"));
}

TEST_CASE("resume: after a reconnect and an interrupt the run still knows its devices") {
  FaultPlace faults({"--devices", "0"});
  const std::string command = waiting_command(faults);
  Running tune = faults.start(command);
  REQUIRE(eventually([&] { return fs::exists(faults.directory() / "starts"); }));
  faults.kill_agent();
  faults.start_agent();
  REQUIRE(eventually([&] { return read_text(faults.directory() / "starts") == "x\nx\n"; }));
  tune.signal(SIGINT);
  CHECK(tune.wait().status == 130);
  const json before = campaign_of(faults.place());
  CHECK(before.at("versions").at("devices") == "0");
  faults.place().write("go", "");
  const Ended ended = faults.resume(command).wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  json summary = faults.comparable_summary();
  summary.at("versions").erase("devices");  // the undisturbed one offered none
  CHECK(summary == undisturbed_summary(10));
  CHECK(campaign_of(faults.place()).at("versions").at("devices") == "0");
  CHECK(faults.resume(command).wait().status == 0);  // of a finished run, too
  CHECK(campaign_of(faults.place()).at("versions").at("devices") == "0");
}

TEST_CASE("resume: a run whose devices an earlier mstune had lost goes on") {
  FaultPlace faults({"--devices", "0"});
  const std::string command = waiting_command(faults);
  Running tune = faults.start(command);
  REQUIRE(eventually([&] { return fs::exists(faults.directory() / "starts"); }));
  tune.signal(SIGKILL);
  tune.wait();
  const fs::path file = faults.place().run_directory() / "campaign.json";
  json campaign = json::parse(read_text(file));
  campaign.at("versions").erase("devices");
  os::write_file_atomically(file, campaign.dump());
  faults.place().write("go", "");
  const Ended ended = faults.resume(command).wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
}

TEST_CASE("resume: one that was killed before it released its last trial releases it") {
  FaultPlace faults({"--devices", "0", "--reconnect-grace", "600"});
  Running tune = faults.start(faults.steps_command(10, 1), {"--repeat", "1"});
  // Stopped while the last trial runs: all that it has recorded by then is what a killed one has.
  REQUIRE(eventually([&] {
    return faults.place().has_run_directory() &&
           fs::exists(faults.place().run_directory() / "trial_001_LoadBalance4_r1" / "trial.json");
  }));
  tune.signal(SIGKILL);
  tune.wait();
  const Ended ended = faults.resume(faults.steps_command(10, 1), {"--repeat", "1"}).wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(eventually([&] { return faults.is_tidy(); }, std::chrono::seconds(10)));
}

TEST_CASE("resume: an agent that had been given up is asked again") {
  FaultPlace faults({"--devices", "0"});
  const std::string command = waiting_command(faults);
  // A second one at the same machine, with a device of its own.
  Running second({program("mstune-agent"), "--insecure", "--listen", "tcp://127.0.0.1:*",
                  "--work-dir", (faults.directory() / "second").string(), "--devices", "1"},
                 faults.directory(), {{"PATH", "/usr/bin:/bin"}});
  REQUIRE(eventually([&] { return !port_in(second.output()).empty(); }));
  faults.place().write("second.json", R"({"host": "127.0.0.1", "insecure": true, "port": )" +
                                          port_in(second.output()) + "}");
  const std::vector<std::string> more{"--target", "second.json", "--spread", "replicate"};
  Running tune = faults.start(command, more);
  REQUIRE(eventually([&] {
    return fs::exists(faults.directory() / "starts") &&
           read_text(faults.directory() / "starts") == "x\nx\n";
  }));
  tune.signal(SIGKILL);
  tune.wait();
  const fs::path file = faults.place().run_directory() / "campaign.json";
  json campaign = json::parse(read_text(file));
  campaign.at("agents").at(1).at("state") = "given_up";
  campaign.at("agents").at(1).at("why") = "its disk was full";
  os::write_file_atomically(file, campaign.dump());
  faults.place().write("go", "");
  const Ended ended = faults.resume(command, more).wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  const json summary = faults.place().summary();
  CHECK(summary.at("trials").size() == 8);
  CHECK(summary.at("agents").at(1).at("state") == "ready");
  second.signal(SIGTERM);
  second.wait();
}

TEST_CASE("resume: deleted and damaged files are noticed, and the run is whole again") {
  FaultPlace faults;
  const std::string command = faults.steps_command(10, 1);
  REQUIRE(faults.start(command).wait().status == 0);
  const fs::path run = faults.place().run_directory();
  const std::string table = read_text(run / "trial_000_default_r1" / "steps.csv");
  fs::remove(run / "trial_000_default_r1" / "steps.csv");
  fs::remove_all(run / "trial_001_LoadBalance4_r1" / "plog");
  fs::remove(run / "trial_001_LoadBalance4_r1" / "steps.log");
  os::write_file_atomically(run / "trial_002_default_r2" / "trial.json", "{} {}");
  os::write_file_atomically(run / "trial_003_LoadBalance4_r2" / ".tmp-0123", "half");
  os::write_file_atomically(run / "trial_003_LoadBalance4_r2" / "progress.log", "1 0 0\n");
  os::write_file_atomically(run / "summary.json", "{");
  fs::create_directories(run / "attempts" / "trial_003_LoadBalance4_r2_a9");
  const Ended analyzed = faults.place().run({program("mstune"), "analyze", run.string()});
  INFO(analyzed.output);
  CHECK(analyzed.output.find("had 10 steps, and its logs hold 0") != std::string::npos);
  CHECK(analyzed.output.find("trial_002_default_r2") != std::string::npos);
  const Ended ended = faults.resume(command).wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(ended.output.find("had 10 steps, and its logs hold 0") != std::string::npos);
  CHECK(faults.comparable_summary() == undisturbed_summary(10));
  CHECK(read_text(run / "trial_000_default_r1" / "steps.csv") == table);
  CHECK_FALSE(fs::exists(run / "trial_003_LoadBalance4_r2" / ".tmp-0123"));
  CHECK_FALSE(fs::exists(run / "trial_003_LoadBalance4_r2" / "progress.log"));
  for (const auto& attempt : fs::directory_iterator(run / "attempts")) {
    CHECK(fs::exists(attempt.path() / "attempt.json"));
  }
}

}  // namespace
}  // namespace mstune::test
