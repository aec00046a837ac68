// What watching costs: the agent's share of a core, the delay of a STEP line, the disturbance of a
// CPU-bound program, and the coordinator's time around a trial. All through the real programs.
//
// Each figure is a difference or a ratio within this run, with what it should be beside it. Give
// the machine rest: both cores are in use.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "common/os/file.h"
#include "common/os/process.h"

namespace {

namespace fs = std::filesystem;
namespace os = mstune::os;
using Clock = std::chrono::steady_clock;

std::string beside(const std::string& program) {
  return (fs::read_symlink("/proc/self/exe").parent_path() / program).string();
}

os::SpawnRequest request(std::vector<std::string> command, const fs::path& directory,
                         std::vector<std::string> more = {}) {
  os::SpawnRequest result;
  result.command = std::move(command);
  result.environment = {"PATH=/usr/bin:/bin", "HOME=" + directory.string()};
  result.environment.insert(result.environment.end(), more.begin(), more.end());
  result.working_directory = directory;
  return result;
}

// Runs to the end and returns what it printed.
std::string run(const os::SpawnRequest& what) {
  os::Process process(what);
  std::string output;
  std::array<char, 65536> buffer{};
  while (!process.has_exited()) {
    os::wait_readable(process.output(), std::chrono::milliseconds(5));
    output += os::read_chunk(process.output(), buffer).bytes;
  }
  for (auto chunk = os::read_chunk(process.output(), buffer); !chunk.bytes.empty();
       chunk = os::read_chunk(process.output(), buffer)) {
    output += chunk.bytes;
  }
  if (const auto exit = process.reap(); !exit || exit->status != 0) {
    fmt::print(stderr, "a program failed:\n{}\n", output);
    std::exit(1);
  }
  return output;
}

double seconds_of(const os::SpawnRequest& what) {
  const auto start = Clock::now();
  run(what);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// CPU seconds of all threads of a process so far, to the nanosecond: the ticks of /proc/PID/stat
// are samples, and whoever wakes with the timer is sampled too often.
double cpu_seconds(pid_t id) {
  double nanoseconds = 0;
  for (const auto& task : fs::directory_iterator(fmt::format("/proc/{}/task", id))) {
    std::istringstream fields(read_text(task.path() / "schedstat"));
    double on_cpu = 0;
    fields >> on_cpu;
    nanoseconds += on_cpu;
  }
  return nanoseconds / 1e9;
}

pid_t child_of(pid_t parent) {
  const std::string children = read_text(fmt::format("/proc/{}/task/{}/children", parent, parent));
  return children.empty() ? 0 : std::stoi(children);
}

fs::path newest(const fs::path& directory, const std::string& prefix) {
  fs::path found;
  if (fs::exists(directory)) {
    for (const auto& entry : fs::directory_iterator(directory)) {
      if (entry.path().filename().string().starts_with(prefix) &&
          (found.empty() || entry.path() > found)) {
        found = entry.path();
      }
    }
  }
  return found;
}

double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values.at(static_cast<std::size_t>(share * static_cast<double>(values.size() - 1)));
}

void report(const std::string& what, double value, const std::string& unit, double limit) {
  fmt::print("{:<58} {:9.3f} {:<8} (below {} {}) {}\n", what, value, unit, limit, unit,
             value < limit ? "ok" : "MISSED");
}

// Lines stamped when they were written, seen in the coordinator's steps.log: that they are there
// shows that they passed through its process.
void measure_live(const fs::path& directory) {
  constexpr int kRate = 1000;
  constexpr int kCount = 10000;
  os::Process tune(
      request({beside("mstune"), "tune", "--run-command",
               fmt::format("{} paced {} {}", beside("step_writer"), kRate, kCount), "--configs",
               "default", "--repeat", "1", "--output-dir", (directory / "live").string()},
              directory));
  std::vector<double> delays_ms;
  std::string tail;
  std::ifstream log;
  double cpu_at_start = 0;
  Clock::time_point start;
  pid_t agent = 0;
  while (delays_ms.size() < kCount && !tune.has_exited()) {
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    if (!log.is_open()) {
      const fs::path trial = newest(newest(directory / "live", "run_"), "trial_");
      if (trial.empty()) {
        continue;
      }
      log.open(trial / "steps.log");
      agent = child_of(tune.id());
      cpu_at_start = cpu_seconds(agent);
      start = Clock::now();
    }
    log.clear();
    std::ostringstream more;
    more << log.rdbuf();
    tail += more.str();
    const auto now = std::chrono::duration_cast<std::chrono::microseconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
    for (auto end = tail.find('\n'); end != std::string::npos; end = tail.find('\n')) {
      const auto at = tail.find("end_us=");
      delays_ms.push_back(static_cast<double>(now - std::stoll(tail.substr(at + 7))) / 1000.0);
      tail.erase(0, end + 1);
    }
  }
  const double cpu = cpu_seconds(agent) - cpu_at_start;
  const double wall = std::chrono::duration<double>(Clock::now() - start).count();
  std::array<char, 65536> buffer{};
  while (!tune.has_exited()) {
    os::wait_readable(tune.output(), std::chrono::milliseconds(5));
    os::read_chunk(tune.output(), buffer);
  }
  if (delays_ms.size() != kCount) {
    fmt::print(stderr, "{} of {} lines arrived\n", delays_ms.size(), kCount);
    std::exit(1);
  }
  report("agent, 1000 STEP lines a second: share of one core", 100.0 * cpu / wall, "%", 3.0);
  report("STEP line, from the plog file to the coordinator: median", percentile(delays_ms, 0.5),
         "ms", 10.0);
  fmt::print("{:<58} {:9.3f} ms\n", "  the slowest of 100", percentile(delays_ms, 0.99));
}

double median_ns(const std::string& output) {
  const auto at = output.find("median_ns ");
  return std::stod(output.substr(at + 10));
}

// Pairs of one run alone and one under mstune, in turn; the 95 % interval of the paired difference.
void measure_disturbance(const fs::path& directory, int pairs) {
  const std::string busy = beside("step_writer") + " busy 2000 1000";
  std::vector<double> differences;
  for (int pair = 0; pair < pairs; ++pair) {
    const fs::path alone = directory / fmt::format("alone_{}", pair);
    fs::create_directory(alone);
    const auto run_alone = [&] {
      return median_ns(run(request({beside("step_writer"), "busy", "2000", "1000"}, directory,
                                   {"ASCEND_PROCESS_LOG_PATH=" + alone.string(),
                                    "GE_AUTO_MULTISTREAM_PARALLEL_MODE=default"})));
    };
    const auto run_watched = [&] {
      const fs::path out = directory / fmt::format("watched_{}", pair);
      run(request({beside("mstune"), "tune", "--run-command", busy, "--configs", "default",
                   "--repeat", "1", "--output-dir", out.string()},
                  directory));
      return median_ns(read_text(newest(newest(out, "run_"), "trial_") / "stdout.log"));
    };
    const bool alone_first = pair % 2 == 0;
    const double first = alone_first ? run_alone() : run_watched();
    const double second = alone_first ? run_watched() : run_alone();
    differences.push_back(100.0 *
                          (alone_first ? std::log(second / first) : std::log(first / second)));
  }
  double mean = 0;
  for (const double difference : differences) {
    mean += difference / static_cast<double>(differences.size());
  }
  double variance = 0;
  for (const double difference : differences) {
    variance +=
        (difference - mean) * (difference - mean) / static_cast<double>(differences.size() - 1);
  }
  constexpr double kStudent95 = 2.093;  // 19 degrees of freedom: 20 pairs
  const double half = kStudent95 * std::sqrt(variance / static_cast<double>(differences.size()));
  fmt::print("{:<58} [{:+.3f}, {:+.3f}] % (within [-1, +1] %) {}\n",
             "median step with live streaming less without, 95 %", mean - half, mean + half,
             mean - half > -1 && mean + half < 1 ? "ok" : "MISSED");
}

// The slope over the number of trials, less the bare program's own time.
void measure_trial_cost(const fs::path& directory) {
  constexpr int kFew = 5;
  constexpr int kMany = 105;
  // It ends with 1: such a program writes no record.
  const auto tune = [&](int repeat) {
    os::Process process(
        request({beside("mstune"), "tune", "--mode", "offline", "--compile-command",
                 "cp /bin/true {om}", "--run-command", "/bin/true {om}", "--configs", "default",
                 "--repeat", std::to_string(repeat), "--output-dir",
                 (directory / fmt::format("cost_{}", repeat)).string()},
                directory));
    const auto start = Clock::now();
    std::array<char, 65536> buffer{};
    while (!process.has_exited()) {
      os::wait_readable(process.output(), std::chrono::milliseconds(2));
      os::read_chunk(process.output(), buffer);
    }
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const double per_trial = (tune(kMany) - tune(kFew)) / (kMany - kFew);
  double bare = 0;
  for (int i = 0; i < kMany; ++i) {
    bare += seconds_of(request({"/bin/true"}, directory)) / kMany;
  }
  report("coordinator and agent around a trial, less the program", 1000.0 * (per_trial - bare),
         "ms", 20.0);
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 20;
  const fs::path directory = os::make_unique_directory("/tmp", "mstune-bench-");
  measure_trial_cost(directory);
  measure_live(directory);
  measure_disturbance(directory, pairs);
  os::remove_tree(directory);
  return 0;
}
