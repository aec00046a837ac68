// One fault a test: programs that hang, die, fail, or are interrupted; and going on afterwards.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <set>

#include <doctest/doctest.h>

#include "common/os/file.h"
#include "tests/system/fault_place.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

// Three missed pings are 6 s; the rest is for a machine that has other things to do.
constexpr seconds kNoticed{12};

// A program that sleeps for ever until the file "go" is there, then writes STEP lines. Each start
// leaves a line in "starts".
std::string waiting_command(FaultPlace& faults, const std::string& marker) {
  const std::string directory = faults.directory().string();
  faults.place().write(
      "wait.sh", "echo x >> " + directory + "/starts\n" + "[ -e " + directory + "/go ] || sleep " +
                     marker + " &\n" + "while ! [ -e " + directory + "/go ]; do sleep .02; done\n" +
                     "kill %1 2> /dev/null\n" + "exec " + faults.steps_command(10, 1) + "\n");
  return "/bin/bash " + directory + "/wait.sh";
}

bool runs(const std::string& marker) {
  return !processes_with("sleep" + std::string(1, '\0') + marker).empty();
}

std::size_t starts(const FaultPlace& faults) {
  const std::string text = read_text(faults.directory() / "starts");
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

void go(FaultPlace& faults) {
  faults.place().write("go", "");
}

bool eventually_says(Running& running, const std::string& text, Duration wait = seconds(60)) {
  return eventually([&] { return running.output().find(text) != std::string::npos; }, wait);
}

TEST_CASE("liveness: an agent that hangs is noticed, and costs nothing when it goes on in time") {
  FaultPlace faults;
  Running tune = faults.start(waiting_command(faults, "71001"));
  REQUIRE(eventually([] { return runs("71001"); }));
  faults.agent().signal(SIGSTOP);
  CHECK(eventually_says(tune, "the agent does not answer", kNoticed));
  faults.agent().signal(SIGCONT);
  go(faults);
  const Ended ended = tune.wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(faults.place().summary().at("trials").at(0).at("attempt") == 1);
  CHECK(faults.comparable_summary() == undisturbed_summary(10));
  CHECK(faults.is_tidy());
}

TEST_CASE("liveness: an agent that is gone for too long has lost its trial, which is run again") {
  FaultPlace faults;
  Running tune = faults.start(waiting_command(faults, "71002"), {"--reconnect-grace", "1"});
  REQUIRE(eventually([] { return runs("71002"); }));
  faults.kill_agent();
  CHECK(eventually_says(tune, "the agent was lost while it ran this trial", kNoticed));
  go(faults);
  faults.start_agent();
  CHECK_FALSE(runs("71002"));  // what a former life left is ended before the agent listens
  const Ended ended = tune.wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(ended.output.find("of its former life") != std::string::npos);
  CHECK(faults.place().summary().at("trials").at(0).at("attempt") == 2);
  CHECK(faults.comparable_summary() == undisturbed_summary(10));
  const auto kept = nlohmann::json::parse(
      read_text(faults.place().run_directory() / "attempts/trial_000_default_r1_a1/attempt.json"));
  CHECK(kept.at("reason_code") == "trial.agent_lost");
}

TEST_CASE("liveness: a coordinator that dies or hangs loses its trial after the grace time") {
  FaultPlace faults({"--reconnect-grace", "1"});
  const std::string command = waiting_command(faults, "71003");
  Running dies = faults.start(command);
  REQUIRE(eventually([] { return runs("71003"); }));
  dies.signal(SIGKILL);
  dies.wait();
  CHECK(eventually([&] { return !runs("71003") && faults.is_tidy(); }, kNoticed));

  fs::remove_all(faults.directory() / "out");
  Running hangs = faults.start(command);
  REQUIRE(eventually([] { return runs("71003"); }));
  hangs.signal(SIGSTOP);
  CHECK(eventually([&] { return !runs("71003") && faults.is_tidy(); }, kNoticed));
  go(faults);
  hangs.signal(SIGCONT);
  const Ended ended = hangs.wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(faults.place().summary().at("trials").at(0).at("attempt") == 2);
  CHECK(faults.comparable_summary() == undisturbed_summary(10));
}

TEST_CASE("liveness: an agent that is told to end ends its trial with everything it started") {
  FaultPlace faults;
  faults.place().write(
      "stubborn.sh", "trap '' TERM\n(setsid sleep 71004 &)\n(trap '' TERM; sleep 71005) &\nwait\n");
  Running tune = faults.start("/bin/bash " + (faults.directory() / "stubborn.sh").string());
  REQUIRE(eventually([] { return runs("71004") && runs("71005"); }));
  CHECK(faults.stop_agent() == 0);
  CHECK_FALSE(runs("71004"));
  CHECK_FALSE(runs("71005"));
  CHECK(faults.is_tidy());
  tune.signal(SIGKILL);
}

TEST_CASE("retries: they are bounded, and what was lost too often is void") {
  FaultPlace faults;
  Running tune = faults.start(waiting_command(faults, "72001"), {"--retries", "1"});
  const auto is_running = [] { return runs("72001"); };
  for (int life = 0; life < 2; ++life) {
    REQUIRE(eventually(is_running));
    faults.kill_agent();
    if (life == 1) {
      go(faults);
    }
    faults.start_agent();
  }
  const Ended ended = tune.wait();
  INFO(ended.output);
  const auto trials = faults.place().summary().at("trials");
  REQUIRE(trials.size() == 4);  // one entry a wanted trial
  CHECK(trials.at(0).at("reason_codes").at(0) == "agent_lost");
  CHECK(trials.at(1).at("valid") == true);
  CHECK(fs::exists(faults.place().run_directory() / "attempts/trial_000_default_r1_a2"));
}

TEST_CASE("retries: a program that fails by itself is not run again, and its last words are kept") {
  FaultPlace faults;
  faults.place().write("fail.sh", "echo it is the weights; exit 3\n");
  const Ended ended =
      faults.start("/bin/bash " + (faults.directory() / "fail.sh").string(), {"--repeat", "1"})
          .wait();
  CHECK(ended.status == 1);
  CHECK(ended.output.find("| it is the weights") != std::string::npos);
  const fs::path run = faults.place().run_directory();
  const auto trial = nlohmann::json::parse(read_text(run / "trial_000_default_r1/trial.json"));
  CHECK(trial.at("attempt") == 1);
  CHECK(trial.at("output_tail") == "it is the weights");
  CHECK_FALSE(fs::exists(run / "attempts"));
}

TEST_CASE("resume: a killed coordinator's trial is found running and goes on") {
  FaultPlace faults;
  const std::string command = waiting_command(faults, "73001");
  Running killed = faults.start(command);
  REQUIRE(eventually([] { return runs("73001"); }));
  killed.signal(SIGKILL);
  killed.wait();
  const Ended half =
      faults.place().run({program("mstune"), "analyze", faults.place().run_directory().string()});
  CHECK(half.output.find("was not finished") != std::string::npos);
  Running again = faults.resume(command);
  CHECK(eventually_says(again, "[000] "));
  go(faults);
  const Ended ended = again.wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(starts(faults) == 4);  // each trial once
  CHECK(faults.place().summary().at("trials").at(0).at("attempt") == 1);
  CHECK(faults.comparable_summary() == undisturbed_summary(10));
  CHECK_FALSE(fs::exists(faults.place().run_directory() / "attempts"));
}

TEST_CASE("resume: another command is refused with the difference, and nothing is run") {
  FaultPlace faults;
  CHECK(faults.start(faults.steps_command(10, 1)).wait().status == 0);
  const Ended other = faults.resume(faults.steps_command(11, 1)).wait();
  CHECK(other.status == 2);
  CHECK(other.output.find("the run command was") != std::string::npos);
  const Ended more = faults.resume(faults.steps_command(10, 1), {"--repeat", "3"}).wait();
  CHECK(more.status == 2);
  CHECK(more.output.find("--repeat was \"2\"") != std::string::npos);
  const auto before = faults.comparable_summary();
  CHECK(faults.resume(faults.steps_command(10, 1)).wait().status == 0);
  CHECK(faults.comparable_summary() == before);
}

TEST_CASE("resume: Ctrl-C says how to go on, and so it does") {
  FaultPlace faults;
  const std::string command = waiting_command(faults, "73002");
  Running tune = faults.start(command);
  REQUIRE(eventually([] { return runs("73002"); }));
  tune.signal(SIGINT);
  const Ended interrupted = tune.wait();
  INFO(interrupted.output);
  CHECK(interrupted.status == 130);
  CHECK(interrupted.output.find("--resume " + faults.place().run_directory().string()) !=
        std::string::npos);
  CHECK(eventually([&] { return faults.is_tidy(); }));
  go(faults);
  const Ended ended = faults.resume(command).wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(faults.comparable_summary() == undisturbed_summary(10));
}

TEST_CASE("resume: a second Ctrl-C leaves at once, and the agent ends the trial") {
  FaultPlace faults;
  faults.place().write("stubborn.sh", "trap '' TERM\nsleep 73003 & wait; sleep 73003\n");
  Running tune = faults.start("/bin/bash " + (faults.directory() / "stubborn.sh").string());
  REQUIRE(eventually([] { return runs("73003"); }));
  tune.signal(SIGINT);
  CHECK(eventually_says(tune, "once more to leave at once"));
  tune.signal(SIGINT);
  CHECK(tune.wait(seconds(4)).status == 130);
  CHECK(eventually([&] { return !runs("73003") && faults.is_tidy(); }));
}

TEST_CASE("resume: OMs are not built again, and one that was exchanged is refused") {
  Workplace place;
  place.write("run.sh", "[ -e " + (place.directory() / "go").string() + " ] || sleep 73004\nexec " +
                            program("sample_infer") + " --om \"$1\" --loop 8\n");
  const std::vector<std::string> arguments{
      "--mode",
      "offline",
      "--compile-command",
      "atc --model=" + model("chain") + " --soc_version=Ascend910B2 --output={om_prefix}",
      "--run-command",
      "/bin/bash " + (place.directory() / "run.sh").string() + " {om}",
      "--configs",
      "LoadBalance:2",
      "--repeat",
      "1"};
  Running killed = place.start_tune(arguments);
  REQUIRE(eventually([] { return runs("73004"); }));
  killed.signal(SIGKILL);
  killed.wait();
  CHECK(eventually([] { return !runs("73004"); }));  // its agent went with it
  place.write("go", "");
  std::vector<std::string> again = arguments;
  again.insert(again.end(), {"--resume", place.run_directory().string()});

  const fs::path om = place.run_directory() / "om/model_LoadBalance2.om";
  const std::string content = read_text(om);
  os::write_file_atomically(om, content + "x");
  const Ended refused = place.tune(again);
  CHECK(refused.status == 2);
  CHECK(refused.output.find("the OM of LoadBalance:2") != std::string::npos);
  os::write_file_atomically(om, content);
  const Ended ended = place.tune(again);
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(ended.output.find("[build]") == std::string::npos);
  CHECK(place.summary().at("trials").size() == 2);
}

// A campaign that builds OMs, slowly.
struct SlowBuilds {
  explicit SlowBuilds(const char* slow_ms) { place.environment()["STANDIN_ATC_SLOW_MS"] = slow_ms; }

  // Each leads a session of its own; atc.bin forks.
  [[nodiscard]] std::size_t count() const {
    const auto here = processes_with(place.directory().string());
    std::set<pid_t> sessions;
    for (const pid_t id : processes_with("atc.bin")) {
      if (std::find(here.begin(), here.end(), id) != here.end()) {
        sessions.insert(::getsid(id));
      }
    }
    sessions.erase(-1);  // it has ended since
    return sessions.size();
  }

  Workplace place;
  std::vector<std::string> arguments{
      "--mode",
      "offline",
      "--compile-command",
      "atc --model=" + model("chain") + " --soc_version=Ascend910B2 --output={om_prefix}",
      "--run-command",
      program("sample_infer") + " --om {om} --loop 8",
      "--configs",
      "LoadBalance:2",
      "--repeat",
      "1"};
};

TEST_CASE("resume: a killed coordinator's build ends by itself, with all that atc started") {
  SlowBuilds builds("60000");
  Running killed = builds.place.start_tune(builds.arguments);
  REQUIRE(eventually([&] { return builds.count() == 1; }));
  killed.signal(SIGKILL);
  killed.wait();
  CHECK(eventually([&] { return processes_with(builds.place.directory().string()).empty(); },
                   seconds(30)));
}

// A build whose child leaves its session, both deaf to SIGTERM. The markers are theirs.
struct DeafBuilds : SlowBuilds {
  DeafBuilds(std::string apart_marker, std::string marker)
      : SlowBuilds("0"), apart(std::move(apart_marker)), main(std::move(marker)) {
    place.write("build.sh", "trap '' TERM\nsetsid sleep " + apart + " &\nsleep " + main + "\n");
    arguments.at(3) = "/bin/bash " + (place.directory() / "build.sh").string() + " {om}";
  }

  [[nodiscard]] bool run() const { return runs(apart) && runs(main); }
  [[nodiscard]] bool are_gone() const {
    return !runs(apart) && processes_with(place.directory().string()).empty();
  }

  std::string apart;
  std::string main;
};

TEST_CASE(
    "resume: Ctrl-C ends builds with all that they started, and a second one leaves it to do") {
  // At the same time, because each takes the grace time of SIGTERM.
  DeafBuilds once("73006", "73007");
  DeafBuilds twice("73008", "73009");
  Running waits = once.place.start_tune(once.arguments);
  Running leaves = twice.place.start_tune(twice.arguments);
  REQUIRE(eventually([&] { return once.run() && twice.run(); }));
  waits.signal(SIGINT);
  leaves.signal(SIGINT);
  CHECK(eventually_says(leaves, "once more to leave at once"));
  leaves.signal(SIGINT);
  CHECK(leaves.wait(seconds(4)).status == 130);
  CHECK(waits.wait().status == 130);
  CHECK(once.are_gone());
  CHECK(eventually([&] { return twice.are_gone(); }));
}

TEST_CASE("resume: a killed coordinator's build is ended before the next one begins") {
  SlowBuilds slow("20000");
  Workplace& place = slow.place;
  std::vector<std::string>& arguments = slow.arguments;
  const auto builds = [&] { return slow.count(); };
  Running killed = place.start_tune(arguments);
  REQUIRE(eventually([&] { return builds() == 1; }));
  // Its guard goes first, as on a machine that is short of memory.
  for (const pid_t id : processes_with(place.directory().string())) {
    if (read_text("/proc/" + std::to_string(id) + "/comm") == "mstune-guard\n") {
      ::kill(id, SIGKILL);
    }
  }
  killed.signal(SIGKILL);
  killed.wait();
  CHECK(builds() == 1);

  // Were it still there, the short ones would run beside it.
  place.environment()["STANDIN_ATC_SLOW_MS"] = "500";
  arguments.insert(arguments.end(), {"--resume", place.run_directory().string()});
  Running again = place.start_tune(arguments);
  REQUIRE(eventually_says(again, "[build] "));
  std::size_t most = 0;
  CHECK(eventually([&] {
    most = std::max(most, builds());
    return again.has_ended();
  }));
  const Ended ended = again.wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(most == 1);
  CHECK(ended.output.find("of builds that were still running were ended") != std::string::npos);
  CHECK(processes_with(place.directory().string()).empty());
}

}  // namespace
}  // namespace mstune::test
