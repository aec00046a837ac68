// Programs that write more than anybody wants to keep, and disks that are full.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <sstream>

#include <doctest/doctest.h>

#include "common/os/file.h"
#include "tests/system/fault_place.h"
#include "tests/system/small_disk.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
// AddressSanitizer keeps 256 MiB of what was freed, and more around what is not.
#if defined(MSTUNE_SANITIZED)
constexpr std::uint64_t kSanitizer = 600 * kMiB;
#else
constexpr std::uint64_t kSanitizer = 0;
#endif

// The most memory that a process ever had.
std::uint64_t peak_memory(pid_t id) {
  std::istringstream lines(read_text("/proc/" + std::to_string(id) + "/status"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("VmHWM:")) {
      return std::stoull(line.substr(6)) * 1024;
    }
  }
  return 0;
}

std::uint64_t on_disk_below(const fs::path& directory) {
  std::uint64_t total = 0;
  std::error_code failure;  // a trial may go away while this looks at it
  for (fs::recursive_directory_iterator place(directory, failure), end; !failure && place != end;
       place.increment(failure)) {
    struct stat info {};
    if (::lstat(place->path().c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
      total += static_cast<std::uint64_t>(info.st_blocks) * 512;
    }
  }
  return total;
}

std::uint64_t size_below(const fs::path& directory) {
  std::uint64_t total = 0;
  std::error_code failure;
  for (const auto& entry : fs::recursive_directory_iterator(directory, failure)) {
    total += entry.is_regular_file() ? entry.file_size() : 0;
  }
  return total;
}

// Steps before and after whatever `flood` does, so that a lost line would show.
std::string command_around(FaultPlace& faults, const std::string& flood) {
  faults.place().write("flood.sh",
                       "mkdir -p \"$ASCEND_PROCESS_LOG_PATH/run/plog\"\n"
                       "log=$ASCEND_PROCESS_LOG_PATH/run/plog/plog-${$}_2026.log\n" +
                           flood + "\nexec " + faults.steps_command(10, 1) + "\n");
  return "/bin/bash " + (faults.directory() / "flood.sh").string();
}

// NOLINTNEXTLINE(bugprone-exception-escape): moving a JSON value checks it
struct Flooded {
  Ended ended;
  nlohmann::json trial;
  fs::path directory;              // of the first trial, at the coordinator
  std::uint64_t most_on_disk = 0;  // at the agent, while it ran
  std::uint64_t coordinator_memory = 0;
};

Flooded run(FaultPlace& faults, const std::string& flood, std::vector<std::string> more = {}) {
  more.insert(more.end(), {"--repeat", "1"});
  Running tune = faults.start(command_around(faults, flood), more);
  Flooded result;
  CHECK(eventually(
      [&] {
        result.most_on_disk =
            std::max(result.most_on_disk, on_disk_below(faults.directory() / "agent/trials"));
        result.coordinator_memory = std::max(result.coordinator_memory, peak_memory(tune.id()));
        return tune.has_ended();
      },
      std::chrono::seconds(how_many(200))));
  if (is_long()) {
    MESSAGE("memory in MiB: agent ", peak_memory(faults.agent().id()) / kMiB, ", coordinator ",
            result.coordinator_memory / kMiB,
            "; on the agent's disk: ", result.most_on_disk / kMiB);
  }
  result.ended = tune.wait();
  CHECK(eventually([&] { return faults.is_tidy(); }));
  result.trial = faults.place().summary().at("trials").at(0);
  result.directory = faults.place().run_directory() / "trial_000_default_r1";
  return result;
}

// One flood is enough: the second trial only has to come out well after it.
std::string in_first_trial(const std::string& flood) {
  return "if [ $GE_AUTO_MULTISTREAM_PARALLEL_MODE = default ]; then\n" + flood + "\nfi";
}

std::string mebibytes(int normally, int at_length) {
  return std::to_string(how_many(normally, at_length)) + "M";
}

TEST_CASE("floods: output without end keeps its beginning and its end, and memory stays small") {
  FaultPlace faults;
  const Flooded flooded =
      run(faults,
          in_first_trial("echo first; yes some words of output | head -c " +
                         mebibytes(150, 10'000) + "; head -c " + mebibytes(150, 1'024) +
                         " /dev/zero | tr '\\0' z; echo; echo last"),
          {"--output-limit", "1MB"});
  INFO(flooded.ended.output);
  CHECK(flooded.ended.status == 0);
  CHECK(flooded.trial.at("step_count") == 10);
  CHECK(flooded.ended.output.find("bytes from the middle of its output were not kept") !=
        std::string::npos);
  const std::string output = read_text(flooded.directory / "stdout.log");
  CHECK(output.size() < kMiB + 4096);
  CHECK(output.starts_with("first\n"));
  CHECK(output.ends_with("\nlast\n"));
  CHECK(peak_memory(faults.agent().id()) < 100 * kMiB + kSanitizer);
  CHECK(flooded.coordinator_memory < 100 * kMiB + kSanitizer);
}

TEST_CASE("floods: plog without end is kept within its limit on both disks, STEP lines whole") {
  FaultPlace faults;
  // 16 times the output limit may stay at the agent.
  const Flooded flooded =
      run(faults,
          in_first_trial("for i in {1.." + std::to_string(how_many(30, 2'000)) +
                         "}; do yes '[INFO] plain text' | head -c 5M >> $log; sleep .05; done"),
          {"--output-limit", "1MB", "--plog-limit", "2MB"});
  INFO(flooded.ended.output);
  CHECK(flooded.ended.status == 0);
  CHECK(flooded.trial.at("step_count") == 10);
  CHECK(flooded.ended.output.find("bytes of its plog were not kept, the oldest") !=
        std::string::npos);
  // What was not read yet is never freed, and may come on top.
  CHECK(flooded.most_on_disk < 100 * kMiB + kSanitizer);
  CHECK(size_below(flooded.directory / "plog") <= 2 * kMiB);
  CHECK(size_below(flooded.directory / "plog") > kMiB);
  CHECK(peak_memory(faults.agent().id()) < 100 * kMiB + kSanitizer);
}

TEST_CASE("floods: thousands of plog files are all read") {
  FaultPlace faults;
  const Flooded flooded =
      run(faults,
          in_first_trial("for ((i = 0; i < 2500; ++i)); do echo \"[GE_MS_TUNE][STEP] api=Run "
                         "mode=$GE_AUTO_MULTISTREAM_PARALLEL_MODE model_id=7 step=$i "
                         "start_us=$((i * 10)) end_us=$((i * 10 + 5)) cost_us=5 sync_us=0 "
                         "ret=0 sync_ret=0\" > ${log%.log}$i.log; done"),
          {"--plog", "none"});
  INFO(flooded.ended.output);
  const std::string steps = read_text(flooded.directory / "steps.log");
  CHECK(std::count(steps.begin(), steps.end(), '\n') == 2510);
  CHECK_FALSE(fs::exists(flooded.directory / "plog"));
  CHECK(peak_memory(faults.agent().id()) < 100 * kMiB + kSanitizer);
}

TEST_CASE("floods: a trial with too many records is ended and void under a name of its own") {
  FaultPlace faults;
  const int records = how_many(50'000, 10'000'000);
  const std::string line =
      "[GE_MS_TUNE][STEP] api=Run mode=default model_id=1 step=%.0f start_us=1 end_us=2 cost_us=1 "
      "sync_us=0 ret=0 sync_ret=0";
  const Flooded flooded = run(faults, in_first_trial("seq -f '" + line + "' 0 999999999"),
                              {"--max-records", std::to_string(records)});
  INFO(flooded.ended.output);
  CHECK(flooded.ended.status == 0);
  CHECK(flooded.trial.at("reason_codes").at(0) == "too_many_records");
  CHECK(fs::file_size(flooded.directory / "steps.log") <
        (static_cast<std::uint64_t>(records) + 100'000) * 200);
  CHECK(peak_memory(faults.agent().id()) < 400 * kMiB + kSanitizer);
  // All that count are kept, to be compared with each other.
  CHECK(flooded.coordinator_memory <
        200 * kMiB + static_cast<std::uint64_t>(records) * 64 + kSanitizer);
}

void run_with_every_flood(FaultPlace& faults) {
  fs::remove_all(faults.directory() / "out");
  const Flooded flooded = run(faults,
                              "yes some output | head -c 8M; yes '[INFO] text' | head -c 8M > "
                              "$log; for i in {1..100}; do echo text > ${log%.log}$i.log; done; "
                              "rm ${log%.log}7*.log",
                              {"--output-limit", "64KB", "--plog-limit", "1MB"});
  INFO(flooded.ended.output);
  CHECK(flooded.ended.status == 0);
  CHECK(flooded.trial.at("step_count") == 10);
}

TEST_CASE("floods: after several campaigns of them the agent holds nothing of any") {
  FaultPlace faults;
  run_with_every_flood(faults);
  const std::size_t descriptors = faults.agent_descriptors();
  for (int campaign = 1; campaign < how_many(3); ++campaign) {
    run_with_every_flood(faults);
  }
  // The last coordinator's connection is closed a moment after it has ended.
  CHECK(eventually([&] { return faults.agent_descriptors() <= descriptors; }));
}

TEST_CASE("plog: failed brings back the plog of trials that do not count, and of no others") {
  FaultPlace faults;
  const Flooded flooded =
      run(faults, "echo text > $log; [ $GE_AUTO_MULTISTREAM_PARALLEL_MODE = default ] && exit 1",
          {"--plog", "failed"});
  INFO(flooded.ended.output);
  CHECK(size_below(flooded.directory / "plog") == 5);
  CHECK_FALSE(fs::exists(faults.place().run_directory() / "trial_001_LoadBalance4_r1/plog"));
}

TEST_CASE("disks: a full disk at the agent is told, and the agent goes on") {
  FaultPlace faults;
  const SmallDisk disk(faults.directory() / "agent/trials", "size=2m");
  if (!disk.is_there()) {
    MESSAGE("left out: this user may not mount a tmpfs");
    return;
  }
  const Flooded full = run(faults, "head -c 8M /dev/zero > ${log}x 2> /dev/null");
  INFO(full.ended.output);
  CHECK(full.trial.at("valid") == false);
  fs::remove_all(faults.directory() / "out");
  const Flooded after = run(faults, "");
  INFO(after.ended.output);
  CHECK(after.ended.status == 0);
  CHECK(after.trial.at("step_count") == 10);
}

TEST_CASE("disks: a full disk at the coordinator ends the run, and --resume goes on") {
  FaultPlace faults;
  const SmallDisk disk(faults.directory() / "out", "size=1m");
  if (!disk.is_there()) {
    MESSAGE("left out: this user may not mount a tmpfs");
    return;
  }
  const std::string command = faults.steps_command(10, 1);
  os::AppendFile(faults.directory() / "out/filler").append(std::string(kMiB - 40 * 1024, 'x'));
  const Ended full = faults.start(command).wait();
  INFO(full.output);
  CHECK(full.status == 2);
  CHECK(full.output.find("No space left on device") != std::string::npos);
  CHECK(eventually([&] { return faults.is_tidy(); }));
  fs::remove(faults.directory() / "out/filler");
  const Ended ended = faults.resume(command).wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK(faults.comparable_summary() == undisturbed_summary(10));
}

TEST_CASE("disks: a coordinator that gives up says goodbye, and its trial ends at once") {
  FaultPlace faults({"--reconnect-grace", "60"});
  const SmallDisk disk(faults.directory() / "out", "size=1m");
  if (!disk.is_there()) {
    MESSAGE("left out: this user may not mount a tmpfs");
    return;
  }
  Running tune = faults.start(faults.steps_command(1'000'000, 1));
  REQUIRE(eventually([&] {
    return faults.place().has_run_directory() &&
           fs::exists(faults.place().run_directory() / "trial_000_default_r1/steps.log");
  }));
  const int filler = ::open((faults.directory() / "out/filler").c_str(), O_CREAT | O_WRONLY, 0600);
  const std::string block(4096, 'x');
  while (::write(filler, block.data(), block.size()) > 0) {
  }
  ::close(filler);
  const Ended full = tune.wait();
  const TimePoint gone = std::chrono::steady_clock::now();
  INFO(full.output);
  CHECK(full.status == 2);
  CHECK(full.output.find("No space left on device") != std::string::npos);
  CHECK(eventually([&] { return faults.is_tidy(); }));
  CHECK(std::chrono::steady_clock::now() - gone < std::chrono::seconds(20));
}

}  // namespace
}  // namespace mstune::test
