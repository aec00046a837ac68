#include "tests/system/fault_place.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <map>
#include <stdexcept>
#include <utility>

#include <doctest/doctest.h>

#include "common/os/file.h"
#include "tests/system/keys.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;

// Each candidate has a time of its own, so that every figure is known beforehand.
constexpr const char* kSteps = R"(
mode=$GE_AUTO_MULTISTREAM_PARALLEL_MODE
cost=1000
[ "$mode" = default ] || cost=800
mkdir -p "$ASCEND_PROCESS_LOG_PATH/run/plog"
log=$ASCEND_PROCESS_LOG_PATH/run/plog/plog-${$}_20260101000000000.log
for ((i = 0; i < $1; ++i)); do
  printf '[INFO] GE(%d,infer):2026-11-29-14:40:08.762.257 [step_recorder.cc:137]%d Record:' $$ $$
  printf '[GE_MS_TUNE][STEP] api=NnExecute mode=%s model_id=1 step=%d start_us=%d end_us=%d ' \
      "$mode" $i $((i * 2000)) $((i * 2000 + cost))
  printf 'cost_us=%d sync_us=10 ret=0 sync_ret=0\n' $cost
  printf '[INFO] another line\n'
  read -r -t "$2" nothing <> <(:)
done >> "$log"
exit 0
)";

nlohmann::json without_time(nlohmann::json json) {
  constexpr std::array<const char*, 6> kTold{"wall_seconds", "attempt",    "main_process",
                                             "session_id",   "start_time", "finished"};
  if (json.is_object()) {
    for (const char* key : kTold) {
      json.erase(key);
    }
  }
  if (json.is_structured()) {
    for (auto& inner : json) {
      inner = without_time(inner);
    }
  }
  return json;
}

}  // namespace

void write_steps_program(const Workplace& place) {
  place.write("steps.sh", kSteps);
}

std::string steps_command(const Workplace& place, int steps, int pause_ms) {
  std::string pause = std::to_string(1000 + pause_ms);
  pause[0] = '.';  // ".030"
  return "/bin/bash " + (place.directory() / "steps.sh").string() + " " + std::to_string(steps) +
         " 0" + pause;
}

nlohmann::json comparable(const nlohmann::json& summary) {
  nlohmann::json result = without_time(summary);
  // The command names the directory of the test.
  result.erase("command");
  result.erase("target_file");
  return result;
}

void check_same(const nlohmann::json& found, const nlohmann::json& wanted) {
  CHECK(nlohmann::json::diff(wanted, found).dump() == "[]");
}

FaultPlace::FaultPlace(std::vector<std::string> agent_options, AgentPlace where)
    : agent_options_(std::move(agent_options)), where_(std::move(where)) {
  write_steps_program(place_);
  make_keys(place_);
  start_agent();
  aim_at(port_);
}

FaultPlace::~FaultPlace() {
  if (agent_) {
    agent_->signal(SIGCONT);
    agent_->signal(SIGTERM);
    agent_->wait();
  }
}

void FaultPlace::start_agent(const Variables& fault) {
  const std::string port = port_ == 0 ? "*" : std::to_string(port_);
  std::vector<std::string> command = where_.prefix;
  command.insert(command.end(),
                 {program("mstune-agent"), "--listen", "tcp://" + where_.host + ":" + port,
                  "--work-dir", (directory() / "agent").string()});
  for (const std::string& option : key_options(place_)) {
    command.push_back(option);
  }
  command.insert(command.end(), agent_options_.begin(), agent_options_.end());
  Variables environment = fault;
  // The port of a killed agent may be taken for a moment.
  const bool listens = eventually([&] {
    environment["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin";
    agent_ = std::make_unique<Running>(command, directory(), std::exchange(environment, {}));
    std::string said;
    eventually([&] {
      said = agent_->output();
      const auto at = said.find("listening at");
      return said.find('\n', at) != std::string::npos || agent_->has_ended();
    });
    const std::string found = port_in(said);
    if (found.empty()) {
      return false;
    }
    port_ = std::stoi(found);
    return true;
  });
  if (!listens) {
    throw std::runtime_error("the agent does not listen: " + agent_->output());
  }
}

void FaultPlace::kill_agent() {
  agent_->signal(SIGKILL);
  agent_->wait();
}

int FaultPlace::stop_agent() {
  agent_->signal(SIGTERM);
  const int status = agent_->wait().status;
  agent_.reset();
  return status;
}

std::size_t FaultPlace::agent_descriptors() const {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator("/proc/" + std::to_string(agent_->id()) + "/fd"),
                    fs::directory_iterator()));
}

void FaultPlace::aim_at(int port) const {
  place_.write("target.json", R"({"host": ")" + where_.host + R"(", "port": )" +
                                  std::to_string(port) + R"(, "server_key": ")" +
                                  public_key(place_) + "\"}");
}

void FaultPlace::write_offline_run() const {
  place_.write("run.sh",
               "export GE_AUTO_MULTISTREAM_PARALLEL_MODE=default\n"
               "case $1 in *LoadBalance4*)\n"
               "  GE_AUTO_MULTISTREAM_PARALLEL_MODE=LoadBalance:4;;\nesac\n"
               "exec " +
                   steps_command(10, 1) + "\n");
}

Running FaultPlace::start(const std::string& run_command, std::vector<std::string> more) {
  more.insert(more.begin(), {"--target", "target.json", "--run-command", run_command, "--configs",
                             "LoadBalance:4", "--order", "fixed"});
  const auto add_unless_given = [&](const std::string& option, const std::string& value) {
    if (std::find(more.begin(), more.end(), option) == more.end()) {
      more.insert(more.end(), {option, value});
    }
  };
  add_unless_given("--repeat", "2");
  add_unless_given("--retries", "100");
  return place_.start_tune(more);
}

Running FaultPlace::resume(const std::string& run_command, std::vector<std::string> more) {
  more.insert(more.end(), {"--resume", place_.run_directory().string()});
  return start(run_command, std::move(more));
}

bool FaultPlace::is_tidy() const {
  std::error_code failure;
  const bool no_trials = fs::is_empty(directory() / "agent" / "trials", failure) || failure;
  return no_trials && processes_with((directory() / "steps.sh").string()).empty() &&
         !place_.has_temporary_files();
}

const nlohmann::json& undisturbed_summary(int steps) {
  static std::map<int, nlohmann::json> summaries;
  const auto known = summaries.find(steps);
  if (known != summaries.end()) {
    return known->second;
  }
  FaultPlace faults;
  const Ended ended = faults.start(faults.steps_command(steps, 1)).wait();
  if (ended.status != 0) {
    throw std::runtime_error("an undisturbed campaign failed: " + ended.output);
  }
  return summaries[steps] = faults.comparable_summary();
}

Variables fault_variables(const std::filesystem::path& counter, const std::string& sweep) {
  os::write_file_atomically(counter, std::string(8, '\0'));
  return {{"LD_PRELOAD", MSTUNE_FAULT_CALLS},
          {"MSTUNE_SWEEP", sweep},
          {"MSTUNE_SWEEP_COUNTER", counter.string()}};
}

int how_many(int normally) {
  return how_many(normally, 20 * normally);
}

int how_many(int normally, int at_length) {
  return is_long() ? at_length : normally;
}

}  // namespace mstune::test
