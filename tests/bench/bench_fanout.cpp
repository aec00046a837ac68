// What many agents are worth and what they cost, over loopback with programs that sleep.
//
//   bench_fanout spread             share among 1, 2, 4, 8 agents; replicate on 4
//   bench_fanout scale [AGENTS…]    the coordinator's processor time per trial and its memory, with
//                                   8 devices an agent (1 4 16 64 agents)
//   bench_fanout upload [AGENTS…]   its memory while OMs go to all of them at once (1 4 16 64)
//
// Promised: share takes at most 1.15 / N of one agent's time, replicate at most 1.1 times that of
// the slowest agent; time per trial stays within 1.5 times that of one agent and below 5 ms;
// memory below 1 MiB an agent. With uploads under way that holds from 32 agents on: they share 8
// MiB of windows, at most 4 MiB and at least 256 KiB each.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/error.h"
#include "common/os/file.h"
#include "common/os/process.h"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace {

namespace fs = std::filesystem;
using namespace mstune;  // NOLINT(google-build-using-namespace)
using Clock = std::chrono::steady_clock;

const fs::path& programs() {
  static const fs::path kDirectory = fs::read_symlink("/proc/self/exe").parent_path();
  return kDirectory;
}

// Without npu-smi and without any toolkit.
std::vector<std::string> plain_environment() {
  std::vector<std::string> result{"PATH=" + programs().string() + ":/usr/bin:/bin"};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string variable = *entry;
    if (variable.starts_with("HOME=") || variable.starts_with("LD_LIBRARY_PATH=")) {
      result.push_back(variable);
    }
  }
  return result;
}

os::Process start(std::vector<std::string> command, const fs::path& directory) {
  os::SpawnRequest request;
  request.command = std::move(command);
  request.environment = plain_environment();
  request.working_directory = directory;
  request.dies_with_parent = true;
  return os::Process(request);
}

std::string read_until(os::Process& process, std::string_view mark) {
  std::array<char, 4096> buffer{};
  std::string said;
  const auto deadline = Clock::now() + std::chrono::seconds(120);
  while (said.find(mark) == std::string::npos && Clock::now() < deadline) {
    os::wait_readable(process.output(), std::chrono::milliseconds(100));
    const os::Chunk chunk = os::read_chunk(process.output(), buffer);
    said += chunk.bytes;
    if (chunk.ended) {
      break;
    }
  }
  return said;
}

// A user has 128 inotify instances by default, one for each trial that runs, and on real boxes they
// are the box's: as root each agent gets a user of its own.
std::vector<std::string> as_other_user(int agent, const fs::path& work_directory) {
  if (::geteuid() != 0) {
    return {};
  }
  constexpr uid_t kFirst = 61000;
  const uid_t user = kFirst + static_cast<uid_t>(agent);
  os::make_directory(work_directory);
  if (::chown(work_directory.c_str(), user, user) != 0) {
    throw environment_error("bench.chown", "cannot give {} away", work_directory.string());
  }
  return {"setpriv",       "--reuid", std::to_string(user), "--regid", std::to_string(user),
          "--clear-groups"};
}

class Fleet {
 public:
  Fleet(const fs::path& directory, int agents, int devices) : inventory_(directory / "boxes.json") {
    std::string targets;
    fs::permissions(directory, fs::perms::others_exec, fs::perm_options::add);
    for (int i = 0; i < agents; ++i) {
      const fs::path work_directory = directory / fmt::format("a{}", i);
      std::vector<std::string> command = as_other_user(i, work_directory);
      command.insert(command.end(), {"mstune-agent", "--insecure", "--listen", "tcp://127.0.0.1:*",
                                     "--work-dir", work_directory.string()});
      if (devices > 0) {
        command.insert(command.end(), {"--devices", fmt::format("0-{}", devices - 1)});
      }
      agents_.push_back(start(command, directory));
    }
    for (os::Process& agent : agents_) {
      const std::string said = read_until(agent, "\n");
      const auto colon = said.rfind(':', said.find('\n'));
      targets += fmt::format("{}{{\"host\": \"127.0.0.1\", \"port\": {}}}",
                             targets.empty() ? "" : ", ", std::atoi(said.c_str() + colon + 1));
    }
    std::ofstream(inventory_) << "{\"defaults\": {\"insecure\": true}, \"targets\": [" << targets
                              << "]}";
  }
  ~Fleet() {
    for (const os::Process& agent : agents_) {
      ::kill(agent.id(), SIGTERM);
    }
    for (os::Process& agent : agents_) {
      os::wait_readable(agent.exit_descriptor(), std::chrono::seconds(30));
    }
  }
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  [[nodiscard]] const fs::path& inventory() const { return inventory_; }

 private:
  fs::path inventory_;
  std::vector<os::Process> agents_;
};

struct Cost {
  double seconds = 0;
  double processor_ms = 0;  // of the coordinator
  long peak_kib = 0;
  int trials = 0;
};

struct Campaign {
  std::string spread = "share";
  int rounds = 16;
  double trial_seconds = 1;
  std::string om;  // a file that is sent for each candidate; empty: online
};

Cost run_campaign(const fs::path& directory, const Fleet& fleet, const Campaign& campaign) {
  constexpr int kSteps = 12;
  const auto rate = std::max(1, static_cast<int>(kSteps / campaign.trial_seconds));
  const std::string program =
      fmt::format("{} paced {} {}", (programs() / "step_writer").string(), rate, kSteps + 1);
  std::vector<std::string> command{"mstune",
                                   "tune",
                                   "--inventory",
                                   fleet.inventory().string(),
                                   "--configs",
                                   "cv",
                                   "--allow-mismatch",
                                   "--repeat",
                                   std::to_string(campaign.rounds),
                                   "--spread",
                                   campaign.spread,
                                   "--output-dir",
                                   (directory / "out").string(),
                                   "--run-command",
                                   campaign.om.empty() ? program : "test -e {om}"};
  if (!campaign.om.empty()) {
    command.insert(command.end(),
                   {"--mode", "offline", "--compile-command", "ln " + campaign.om + " {om}"});
  }
  const auto begin = Clock::now();
  os::Process tune = start(std::move(command), directory);
  std::string said;
  while (!tune.has_exited()) {
    said += read_until(tune, "results:");
    os::wait_readable(tune.exit_descriptor(), std::chrono::milliseconds(100));
  }
  Cost cost;
  cost.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const os::Exit exit = *tune.reap();
  if (exit.status != 0 && campaign.om.empty()) {  // without STEP lines there is no result
    throw environment_error("bench.failed", "mstune ended with {}: {}", exit.status,
                            said.substr(said.size() > 2000 ? said.size() - 2000 : 0));
  }
  cost.processor_ms = static_cast<double>((exit.user_time + exit.system_time).count()) / 1000.0;
  cost.peak_kib = exit.peak_memory_kib;
  for (const auto& run : fs::directory_iterator(directory / "out")) {
    for (const auto& entry : fs::directory_iterator(run.path())) {
      cost.trials += entry.is_directory() ? 1 : 0;
    }
  }
  fs::remove_all(directory / "out");
  return cost;
}

void bench_spread(const fs::path& directory) {
  double one = 0;
  for (const int agents : {1, 2, 4, 8}) {
    const Fleet fleet(directory, agents, 1);
    const Cost cost = run_campaign(directory, fleet, {});
    one = agents == 1 ? cost.seconds : one;
    fmt::print(
        "share, 16 rounds, {} agents: {:.2f} s, {:.3f} of one agent's; times N {:.3f} "
        "(at most 1.15)\n",
        agents, cost.seconds, cost.seconds / one, agents * cost.seconds / one);
  }
  Campaign replicate;
  replicate.spread = "replicate";
  replicate.rounds = 4;
  std::array<double, 2> seconds{};
  for (const int agents : {1, 4}) {
    const Fleet fleet(directory, agents, 1);
    seconds.at(agents == 1 ? 0 : 1) = run_campaign(directory, fleet, replicate).seconds;
  }
  fmt::print("replicate, 4 rounds, 4 agents: {:.2f} s, {:.3f} of one agent's (at most 1.1)\n",
             seconds[1], seconds[1] / seconds[0]);
}

void bench_scale(const fs::path& directory, const std::vector<int>& sizes) {
  constexpr int kDevices = 8;
  double first_ms = 0;
  long first_kib = 0;
  for (const int agents : sizes) {
    const Fleet fleet(directory, agents, kDevices);
    Campaign campaign;
    campaign.rounds = 2 * kDevices * agents;
    campaign.trial_seconds = agents >= 16 ? 6 : 2;
    const Cost cost = run_campaign(directory, fleet, campaign);
    const double per_trial = cost.processor_ms / cost.trials;
    first_ms = first_ms == 0 ? per_trial : first_ms;
    first_kib = first_kib == 0 ? cost.peak_kib : first_kib;
    fmt::print(
        "{} agents of {} devices: {} trials in {:.1f} s; {:.2f} ms a trial, {:.2f} times "
        "the first; peak {:.1f} MiB, {:.2f} MiB an agent more than the first\n",
        agents, kDevices, cost.trials, cost.seconds, per_trial, per_trial / first_ms,
        static_cast<double>(cost.peak_kib) / 1024,
        agents == sizes.front()
            ? 0.0
            : static_cast<double>(cost.peak_kib - first_kib) / 1024 / (agents - sizes.front()));
  }
}

// All windows are open at a time: on one machine no trial starts while files are sent.
void bench_upload(const fs::path& directory, const std::vector<int>& sizes) {
  constexpr int kWords = 4'000'000;  // 32 MB
  const fs::path om = directory / "noise";
  {
    std::ofstream file(om, std::ios::binary);
    std::mt19937_64 random(1);
    for (int i = 0; i < kWords; ++i) {
      const std::uint64_t word = random();
      file.write(reinterpret_cast<const char*>(&word), sizeof word);  // NOLINT: bytes
    }
  }
  for (const int agents : sizes) {
    std::array<Cost, 2> costs;  // without an upload, and with one to all
    for (const bool uploads : {false, true}) {
      const Fleet fleet(directory, agents, 1);
      Campaign campaign;
      campaign.rounds = 1;
      campaign.om = uploads ? om.string() : "";
      costs.at(uploads ? 1 : 0) = run_campaign(directory, fleet, campaign);
    }
    fmt::print(
        "uploads to {} agents: peak {:.1f} MiB, without {:.1f} MiB; {:.2f} MiB an agent more; "
        "{:.1f} s\n",
        agents, static_cast<double>(costs[1].peak_kib) / 1024,
        static_cast<double>(costs[0].peak_kib) / 1024,
        static_cast<double>(costs[1].peak_kib - costs[0].peak_kib) / 1024 / agents,
        costs[1].seconds);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const fs::path directory = os::make_unique_directory("/tmp", "mstune-bench-");
  int status = 0;
  try {
    if (what == "spread") {
      bench_spread(directory);
    } else if (what == "scale" || what == "upload") {
      std::vector<int> sizes;
      for (int i = 2; i < argc; ++i) {
        sizes.push_back(std::atoi(argv[i]));
      }
      if (sizes.empty()) {
        sizes = {1, 4, 16, 64};
      }
      what == "scale" ? bench_scale(directory, sizes) : bench_upload(directory, sizes);
    } else {
      fmt::print("bench_fanout spread | scale [AGENTS…] | upload [AGENTS…]\n");
      status = 2;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    status = 1;
  }
  os::remove_tree(directory);
  return status;
}
