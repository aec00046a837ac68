// How mstune ends: by signals at any moment, by a reader that goes away, by its own agent's death.
// Whatever it had put in place is gone then.
#include <unistd.h>

#include <csignal>
#include <memory>
#include <thread>

#include <doctest/doctest.h>

#include "tests/system/agent.h"
#include "tests/system/fault_place.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// A program that sleeps until it is told to end; `marker` is in its command line.
std::vector<std::string> waiting(Workplace& place, const std::string& marker) {
  place.write("wait.sh", "exec sleep " + marker + "\n");
  return {"--run-command", "/bin/bash " + (place.directory() / "wait.sh").string(),
          "--configs",     "cv",
          "--repeat",      "1",
          "--manage-pass"};
}

bool runs(const std::string& marker) {
  return !processes_with("sleep" + std::string(1, '\0') + marker).empty();
}

bool has_said(Running& running, const std::string& text) {
  return eventually([&] { return running.output().find(text) != std::string::npos; });
}

TEST_CASE("endings: a signal in the first moments ends it in order, with nothing left in CANN") {
  Workplace place;
  place.use_own_toolkit(false);
  const auto command = waiting(place, "66101");
  for (const int after_ms : {3, 25, 60, 90}) {
    CAPTURE(after_ms);
    fs::remove_all(place.directory() / "out");
    Running tune = place.start_tune(command);
    std::this_thread::sleep_for(milliseconds(after_ms));  // the moment itself
    tune.signal(SIGINT);
    const Ended ended = tune.wait();
    INFO(ended.output);
    // Before main the system alone decides.
    const bool before_main = ended.output.empty() && !fs::exists(place.directory() / "out");
    CHECK((ended.status == 130 || (before_main && ended.status == -SIGINT)));
    CHECK(fs::is_empty(vendors(place)));
    CHECK_FALSE(runs("66101"));
  }
}

TEST_CASE("endings: a second Ctrl-C leaves at once, and takes the pass with it all the same") {
  Workplace place;
  place.use_own_toolkit(false);
  Running tune = place.start_tune(waiting(place, "66102"));
  REQUIRE(eventually([] { return runs("66102"); }));
  CHECK_FALSE(fs::is_empty(vendors(place)));
  tune.signal(SIGINT);
  std::this_thread::sleep_for(milliseconds(30));  // as fast as a finger is
  tune.signal(SIGINT);
  CHECK(tune.wait().status == 130);
  CHECK(fs::is_empty(vendors(place)));
  CHECK_FALSE(runs("66102"));
}

TEST_CASE("endings: SIGHUP ends a campaign as Ctrl-C does, however often it comes") {
  Workplace place;
  place.use_own_toolkit(false);
  Running tune = place.start_tune(waiting(place, "66103"));
  REQUIRE(eventually([] { return runs("66103"); }));
  tune.signal(SIGHUP);
  tune.signal(SIGHUP);
  const Ended ended = tune.wait();
  INFO(ended.output);
  CHECK(ended.status == 130);
  CHECK(ended.output.find("--resume") != std::string::npos);
  CHECK(fs::is_empty(vendors(place)));
}

TEST_CASE("endings: under nohup SIGHUP is passed over") {
  FaultPlace faults;
  write_steps_program(faults.place());
  Running tune =
      faults.place().start({"/usr/bin/nohup", program("mstune"), "tune", "--output-dir",
                            (faults.directory() / "out").string(), "--target", "target.json",
                            "--configs", "LoadBalance:4", "--order", "fixed", "--repeat", "2",
                            "--run-command", faults.steps_command(10, 30)});
  REQUIRE(has_said(tune, "run directory"));  // nohup has become mstune
  tune.signal(SIGHUP);
  const Ended ended = tune.wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(faults.comparable_summary() == undisturbed_summary(10));
}

TEST_CASE("endings: a reader that goes away is noticed once, and the campaign runs to its end") {
  FaultPlace faults;
  faults.place().write("piped.sh", program("mstune") +
                                       " tune --output-dir out --target target.json --configs "
                                       "LoadBalance:4 --order fixed --repeat 2 --run-command '" +
                                       faults.steps_command(10, 1) +
                                       "' 2> errors | head -n 1 > first\nexit ${PIPESTATUS[0]}\n");
  const Ended ended = faults.place().run({"/bin/bash", "piped.sh"});
  CHECK(ended.status == 0);
  const std::string errors = read_text(faults.directory() / "errors");
  INFO(errors);
  const auto told = errors.find("cannot be written any more");
  CHECK(told != std::string::npos);
  CHECK(errors.find("cannot be written any more", told + 1) == std::string::npos);
  CHECK(faults.comparable_summary() == undisturbed_summary(10));
}

TEST_CASE("endings: an agent that is killed and started again still removes the pass of a run") {
  Workplace place;
  place.use_own_toolkit(false);
  auto agent = std::make_unique<Agent>(place);
  const std::string port = agent->port();
  write_target(place, port, "");
  place.write("run.sh", "touch " + (place.directory() / "began").string() + "\nuntil [ -e " +
                            (place.directory() / "go").string() +
                            " ]; do read -r -t .02 nothing <> <(:); done\nexec " +
                            program("sample_run") + " --steps 12\n");
  Running tune =
      place.start_tune({"--run-command", "/bin/bash " + (place.directory() / "run.sh").string(),
                        "--configs", "cv", "--repeat", "1", "--manage-pass", "--pass-library",
                        pass_of_build(), "--target", "target.json", "--reconnect-grace", "20"});
  REQUIRE(eventually([&] { return fs::exists(place.directory() / "began"); }));
  CHECK_FALSE(fs::is_empty(vendors(place)));
  agent->running().signal(SIGKILL);
  agent->running().wait();
  agent = std::make_unique<Agent>(place, port);
  CHECK_FALSE(fs::is_empty(vendors(place)));  // the campaign still needs it
  place.write("go", "");
  const Ended ended = tune.wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(fs::is_empty(vendors(place)));
}

TEST_CASE("endings: what may have been left in CANN is said, and is no success") {
  Workplace place;
  place.use_own_toolkit(false);
  auto agent = std::make_unique<Agent>(place);
  const std::string port = agent->port();
  write_target(place, port, "");
  place.write("run.sh", "touch " + (place.directory() / "began").string() + "\nuntil [ -e " +
                            (place.directory() / "go").string() +
                            " ]; do read -r -t .02 nothing <> <(:); done\nexec " +
                            program("sample_run") + " --steps 12\n");
  Running tune =
      place.start_tune({"--run-command", "/bin/bash " + (place.directory() / "run.sh").string(),
                        "--configs", "cv", "--repeat", "1", "--manage-pass", "--pass-library",
                        pass_of_build(), "--target", "target.json"});
  REQUIRE(eventually([&] { return fs::exists(place.directory() / "began"); }));
  agent->running().signal(SIGKILL);
  agent->running().wait();
  fs::remove(place.directory() / "agent" / "passes");  // as an agent that knows of no leases
  agent = std::make_unique<Agent>(place, port);
  place.write("go", "");
  const Ended ended = tune.wait();
  INFO(ended.output);
  CHECK(ended.status == 2);
  CHECK(ended.output.find("mstune pass remove") != std::string::npos);
}

// ---- the agent of this machine ----

std::vector<std::string> local(Workplace& place, const std::string& script,
                               std::vector<std::string> more = {}) {
  place.write("run.sh", script);
  more.insert(more.begin(),
              {"--run-command", "/bin/bash " + (place.directory() / "run.sh").string(), "--configs",
               "LoadBalance:4", "--order", "fixed", "--repeat", "1"});
  place.environment()["TMPDIR"] = place.directory().string();
  return more;
}

std::string waits_for_go(const Workplace& place) {
  return "touch " + (place.directory() / "began").string() + "\nuntil [ -e " +
         (place.directory() / "go").string() +
         " ]; do read -r -t .02 nothing <> <(:); done\nexec " + steps_command(place, 10, 1) + "\n";
}

pid_t agent_of(const Running& tune) {
  for (const pid_t id : processes_with("--ends-with-parent")) {
    const std::string stat = read_text("/proc/" + std::to_string(id) + "/stat");
    const auto end = stat.rfind(')');
    if (end != std::string::npos && std::stoi(stat.substr(end + 4)) == tune.id()) {
      return id;
    }
  }
  return 0;
}

TEST_CASE("endings: a local agent that dies is started again, and its trial runs again") {
  Workplace place;
  write_steps_program(place);
  Running tune = place.start_tune(local(place, waits_for_go(place)));
  REQUIRE(eventually([&] { return fs::exists(place.directory() / "began"); }));
  ::kill(agent_of(tune), SIGKILL);
  CHECK(has_said(tune, "it is started again (1 of 2)"));
  place.write("go", "");
  const Ended ended = tune.wait(std::chrono::seconds(60));
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(place.summary().at("trials").size() == 2);
  CHECK_FALSE(place.has_temporary_files());
}

TEST_CASE("endings: a local agent that dies again and again ends the run with its last words") {
  Workplace place;
  write_steps_program(place);
  Running tune = place.start_tune(local(place, waits_for_go(place), {"--retries", "0"}));
  REQUIRE(eventually([&] { return fs::exists(place.directory() / "began"); }));
  ::kill(agent_of(tune), SIGKILL);
  const Ended ended = tune.wait(std::chrono::seconds(60));
  INFO(ended.output);
  CHECK(ended.status == 2);
  CHECK(ended.output.find("SIGKILL") != std::string::npos);
}

TEST_CASE(
    "endings: what a killed run left running on this machine is ended by the next one first") {
  Workplace place;
  write_steps_program(place);
  const std::string mark = (place.directory() / "beside").string();
  // A program that does not hear SIGTERM, and says whether another one runs beside it.
  const std::string script =
      "trap '' TERM\n[ -e " + (place.directory() / "running").string() + " ] && kill -0 \"$(cat " +
      (place.directory() / "running").string() + ")\" 2> /dev/null && echo x >> " + mark +
      "\necho $$ > " + (place.directory() / "running").string() + "\n" + "until [ -e " +
      (place.directory() / "go").string() + " ]; do read -r -t .02 nothing <> <(:); done\n" +
      "rm " + (place.directory() / "running").string() + "\nexec " + steps_command(place, 10, 1) +
      "\n";
  for (const bool kill_agent : {true, false}) {
    CAPTURE(kill_agent);
    fs::remove_all(place.directory() / "out");
    fs::remove(place.directory() / "go");
    Running killed = place.start_tune(local(place, script));
    REQUIRE(eventually([&] { return fs::exists(place.directory() / "running"); }));
    if (kill_agent) {
      const pid_t agent = agent_of(killed);
      killed.signal(SIGSTOP);
      ::kill(agent, SIGKILL);
    }
    killed.signal(SIGKILL);
    killed.wait();
    Running again =
        place.start_tune(local(place, script, {"--resume", place.run_directory().string()}));
    REQUIRE(has_said(again, "[000]"));
    place.write("go", "");
    const Ended ended = again.wait();
    INFO(ended.output);
    CHECK(ended.status == 0);
    CHECK_FALSE(fs::exists(mark));
    CHECK_FALSE(place.has_temporary_files());
  }
}

}  // namespace
}  // namespace mstune::test
