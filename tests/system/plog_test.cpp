// plog as it really is: what comes back while others are measured, what the log library deletes,
// loses and never writes.
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <sstream>

#include <doctest/doctest.h>

#include "agent/environment.h"
#include "tests/system/box.h"
#include "tests/system/fault_place.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;

using std::chrono::seconds;

// A program in bash. It has `step N`, which prints a STEP record without a newline, and the folder
// `plog`, which it has to make; `log_driver` logs through the toolkit's own library.
std::string program_of(const Workplace& place, const std::string& text) {
  place.write(
      "program.sh",
      "mode=$GE_AUTO_MULTISTREAM_PARALLEL_MODE\n"
      "plog=$ASCEND_PROCESS_LOG_PATH/run/plog\n"
      "step() {\n"
      "  printf '[GE_MS_TUNE][STEP] api=NnExecute mode=%s model_id=1 step=%d start_us=%d '"
      " $mode $1 $(($1 * 2000))\n"
      "  printf 'end_us=%d cost_us=1000 sync_us=10 ret=0 sync_ret=0' $(($1 * 2000 + 1000))\n"
      "}\n"
      "log_driver() { " +
          program("log_driver") + " \"$@\"; }\n" + text + "\n");
  return "/bin/bash " + (place.directory() / "program.sh").string();
}

double seconds_of_change(const fs::path& path) {
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  return static_cast<double>(info.st_mtim.tv_sec) + static_cast<double>(info.st_mtim.tv_nsec) / 1e9;
}

// What steps.log holds of the first trial: by source, how many records.
std::map<std::string, int> sources(const fs::path& trial) {
  std::map<std::string, int> result;
  std::istringstream lines(read_text(trial / "steps.log"));
  for (std::string line; std::getline(lines, line);) {
    ++result[line.substr(0, line.find(':'))];
  }
  return result;
}

// Below a trial's directory at the coordinator, sorted.
std::vector<fs::path> plog_files(const fs::path& trial) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(trial / "plog")) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// A trial that is on disk; empty while none is.
fs::path finished_trial(FaultPlace& faults) {
  if (faults.place().has_run_directory()) {
    for (const auto& entry : fs::directory_iterator(faults.place().run_directory())) {
      if (fs::exists(entry.path() / "trial.json")) {
        return entry.path();
      }
    }
  }
  return {};
}

TEST_CASE("plog: it comes back slowly while another trial runs there, and whole") {
  FaultPlace faults({"--devices", "0-1"});
  // The first trial writes 16 MiB and ends, all others wait until that is back.
  const std::string command =
      program_of(faults.place(), "cd " + faults.directory().string() +
                                     "\n"
                                     "if mkdir first 2> /dev/null; then\n"
                                     "  while ! [ -e other ]; do sleep .02; done\n"
                                     "  mkdir -p $plog\n"
                                     "  seq 2222222 | head -c 16M > written\n"
                                     "  cp written $plog/plog-1_1.log\n"
                                     "else\n"
                                     "  touch other\n"
                                     "  while ! [ -e go ]; do sleep .02; done\n"
                                     "fi\n"
                                     "exec " +
                                     faults.steps_command(10, 1));
  Running tune = faults.start(command);
  fs::path trial;
  CHECK(eventually([&] {
    trial = finished_trial(faults);
    return !trial.empty() || tune.has_ended();
  }));
  CHECK_FALSE(tune.has_ended());
  faults.place().write("go", "");
  const Ended ended = tune.wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  // stdout.log is the first file that is fetched; 64 pieces come after it.
  CHECK(seconds_of_change(trial / "trial.json") - seconds_of_change(trial / "stdout.log") > 0.9);
  CHECK(read_text(trial / "plog/run/plog/plog-1_1.log") ==
        read_text(faults.directory() / "written"));
  CHECK(plog_files(trial).size() == 2);
  CHECK(faults.place().summary().at("trials").size() == 4);
  CHECK(faults.is_tidy());
}

TEST_CASE("plog: what rotation deletes while the program runs has been read before") {
  FaultPlace faults;
  // One file of 20 MiB is kept, and 48 MB are written.
  const std::string command = program_of(faults.place(),
                                         "export ASCEND_HOST_LOG_FILE_NUM=1\n"
                                         "for i in {0..9}; do\n"
                                         "  words+=(run \"$(step $i)\" stream 5000)\n"
                                         "done\n"
                                         "log_driver \"${words[@]}\"");
  const Ended ended = faults.start(command, {"--repeat", "1", "--plog-limit", "1MB"}).wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(ended.output.find("were removed before their end was read") == std::string::npos);
  const auto trials = faults.place().trials();
  CHECK(trials.at(0).at("step_count") == 10);
  CHECK(trials.at(1).at("step_count") == 10);
  const fs::path trial = faults.place().run_directory() / "trial_000_default_r1";
  CHECK(plog_files(trial).size() == 1);  // which is all that the library left
  CHECK(sources(trial).size() >= 3);
  CHECK(faults.is_tidy());
}

TEST_CASE("plog: a forked child's own file is read, and what it records counts apart") {
  FaultPlace faults;
  const std::string command = program_of(faults.place(),
                                         "for i in {0..9}; do words+=(run \"$(step $i)\"); done\n"
                                         "words+=(flush fork)\n"
                                         "for i in {0..2}; do words+=(run \"$(step $i)\"); done\n"
                                         "log_driver \"${words[@]}\"");
  const Ended ended = faults.start(command, {"--repeat", "1"}).wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  const fs::path directory = faults.place().run_directory() / "trial_000_default_r1";
  const auto of_source = sources(directory);
  REQUIRE(of_source.size() == 2);  // names with two pids
  CHECK(of_source.begin()->second + of_source.rbegin()->second == 13);
  CHECK(std::max(of_source.begin()->second, of_source.rbegin()->second) == 10);
  const auto trial = nlohmann::json::parse(read_text(directory / "trial.json"));
  CHECK(trial.at("valid") == true);
  CHECK(trial.at("processes") == 2);
}

TEST_CASE("plog: a removed file is read to its end, and a last line without a newline counts") {
  FaultPlace faults;
  // It is removed when the agent has it open, right after more was written.
  const std::string command =
      program_of(faults.place(),
                 "mkdir -p $plog\nlog=$plog/plog-${$}_20260101000000000.log\n"
                 "echo \"$(step 0)\" > $log\n"
                 "agent=$(cut -d' ' -f4 /proc/$PPID/stat)\n"  // its parent is the keeper
                 "until ls -l /proc/$agent/fd | grep -q $log; do sleep .01; done\n"
                 "for i in {1..5}; do lines+=$(step $i)$'\\n'; done\n"
                 "printf %s \"$lines\" >> $log; rm $log\n"
                 "lines=; for i in {6..8}; do lines+=$(step $i)$'\\n'; done\n"
                 "printf %s \"$lines$(step 9)\" > $log");
  const Ended ended = faults.start(command, {"--repeat", "1"}).wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  const auto trials = faults.place().trials();
  CHECK(trials.at(0).at("step_count") == 10);
  CHECK(trials.at(0).at("valid") == true);
  CHECK(sources(faults.place().run_directory() / "trial_000_default_r1").size() == 2);
}

TEST_CASE("plog: records that were lost inside the log library show as a gap") {
  FaultPlace faults;
  // A full buffer drops its oldest lines. A record is saved by a flush that comes in between, which
  // on a slow machine befalls most of them.
  const std::string command =
      program_of(faults.place(),
                 "for i in {0..19}; do\n"
                 "  words+=(run \"$(step $i)\")\n"
                 "  case $i in [3-9]|1[0-5]) words+=(flood 4000);; *) words+=(flush);; esac\n"
                 "done\n"
                 "log_driver \"${words[@]}\"");
  const Ended ended = faults.start(command, {"--repeat", "1"}).wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  const fs::path directory = faults.place().run_directory() / "trial_000_default_r1";
  int found = 0;
  for (const auto& [source, count] : sources(directory)) {
    found += count;
  }
  CHECK(found < 20);
  CHECK(found >= 7);
  const std::string gap = "the log lost " + std::to_string(20 - found) + " steps";
  const auto trial = nlohmann::json::parse(read_text(directory / "trial.json"));
  CHECK(trial.at("warnings").dump().find(gap) != std::string::npos);
  CHECK(faults.place().summary().dump().find(gap) != std::string::npos);
  CHECK(ended.output.find(gap) != std::string::npos);
}

// An agent whose trials' plog folders have a path of so many bytes.
std::string name_for(const Workplace& place, std::size_t plog_path) {
  const std::string rest = "/trials/01234567-1/plog";
  return std::string(plog_path - rest.size() - place.directory().string().size() - 1, 'x');
}

TEST_CASE("plog: a path at which CANN would write none is refused, one byte less is not") {
  Workplace place;
  const std::string command = program_of(place,
                                         "for i in {0..9}; do words+=(run \"$(step $i)\"); done\n"
                                         "log_driver \"${words[@]}\"");
  for (const bool too_long : {false, true}) {
    fs::remove_all(place.directory() / "out");
    Box box(place, name_for(place, agent::kPlogPathMax + (too_long ? 1 : 0)), {});
    write_inventory(place, {box.port()});
    const Ended ended = place.tune({"--run-command", command, "--inventory", "boxes.json",
                                    "--configs", "LoadBalance:4", "--repeat", "1"});
    INFO(ended.output);
    CHECK((ended.status == 0) == !too_long);
    CHECK(
        (ended.output.find("CANN writes no plog at all below a path of 247 bytes (at most 246)") !=
         std::string::npos) == too_long);
    const auto trials = place.trials();
    CHECK(trials.at(0).at("valid") == !too_long);
    if (too_long) {
      CHECK(trials.at(0).at("reason_codes").at(0) == "not_started");
    }
    box.running().signal(SIGTERM);
    CHECK(box.running().wait().status == 0);
  }
}

TEST_CASE("plog: a program that fills the disk faster than it can be read is ended for that") {
  FaultPlace faults;
  // Blocks that no line is in yet: nothing of them can be read or freed.
  const std::string command = program_of(
      faults.place(), "[ $mode = default ] || exec " + faults.steps_command(10, 1) +
                          "\nmkdir -p $plog\n"
                          ": > $plog/plog-1_1.log; fallocate -n -l 80M $plog/plog-1_1.log\n"
                          "exec sleep 75001");
  const Ended ended =
      faults.start(command, {"--repeat", "1", "--output-limit", "64KB"}).wait(seconds(30));
  INFO(ended.output);
  CHECK(ended.status == 0);
  const auto trials = faults.place().trials();
  CHECK(trials.at(0).at("reason_codes").at(0) == "too_much_plog");
  CHECK(trials.at(0).at("attempt") == 1);
  CHECK(trials.at(1).at("valid") == true);
  CHECK(ended.output.find("it wrote plog faster than it could be read") != std::string::npos);
  CHECK(processes_with("sleep" + std::string(1, '\0') + "75001").empty());
  CHECK(faults.is_tidy());
}

}  // namespace
}  // namespace mstune::test
