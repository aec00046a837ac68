#include "tests/system/campaign.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <thread>

#include <doctest/doctest.h>

#include "common/os/file.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;

os::SpawnRequest spawn_request(const std::vector<std::string>& command, const fs::path& directory,
                               const Variables& environment) {
  os::SpawnRequest request;
  request.command = command;
  request.working_directory = directory;
  for (const auto& [variable, value] : environment) {
    request.environment.push_back(variable + "=" + value);
  }
  // Each test is on a machine of its own.
  if (!environment.contains(kTurnDirectory)) {
    request.environment.push_back(std::string(kTurnDirectory) + "=" +
                                  (directory / "turns").string());
  }
  return request;
}

// What `. set_env.sh` adds to a plain environment, as bash makes it.
Variables toolkit_environment(const fs::path& toolkit, const fs::path& directory) {
  Variables plain{{"PATH", fs::path(MSTUNE_BIN_DIR).string() + ":/usr/bin:/bin"},
                  {"HOME", directory.string()},
                  {"TMPDIR", directory.string()},
                  {"STANDIN_DETERMINISTIC", "1"},
                  {"STANDIN_TIME_SCALE", "0"}};
  for (const char* kept : {"ASAN_OPTIONS", "UBSAN_OPTIONS"}) {
    if (const char* value = std::getenv(kept)) {
      plain[kept] = value;
    }
  }
  const fs::path result = directory / "environment";
  Running bash({"/bin/bash", "-c", R"(. "$1/set_env.sh"; command env -0 > "$2")", "bash",
                toolkit.string(), result.string()},
               directory, plain);
  bash.wait();
  const std::string text = read_text(result);
  fs::remove(result);
  Variables environment;
  std::istringstream stream(text);
  for (std::string entry; std::getline(stream, entry, '\0');) {
    const auto equals = entry.find('=');
    environment[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return environment;
}

}  // namespace

Running::Running(const std::vector<std::string>& command, const fs::path& directory,
                 const Variables& environment)
    : process_(spawn_request(command, directory, environment)) {}

void Running::signal(int number) const {
  ::kill(process_.id(), number);
}

void Running::read() {
  std::array<char, 65536> buffer{};
  for (;;) {
    const os::Chunk chunk = os::read_chunk(process_.output(), buffer);
    if (chunk.bytes.empty()) {
      return;
    }
    output_ += chunk.bytes;
  }
}

const std::string& Running::output() {
  read();
  return output_;
}

bool Running::has_ended() {
  read();
  return process_.has_exited();
}

Ended Running::wait(Duration wait) {
  const auto ended = eventually([&] { return has_ended(); }, wait);
  read();
  if (!ended) {
    process_.signal_group(SIGKILL);
    throw std::runtime_error("a program did not end in time; it printed:\n" + output_);
  }
  return {process_.reap()->status, output_};
}

Workplace::Workplace()
    : directory_(os::make_unique_directory("/tmp", "mstune-test-")), toolkit_(MSTUNE_TOOLKIT) {
  fs::create_directory(directory_ / "turns");
  environment_ = toolkit_environment(toolkit_, directory_);
  environment_["STANDIN_STATE_DIR"] = (directory_ / "state").string();
}

Workplace::~Workplace() {
  if (doctest::getContextOptions()->currentTest != nullptr && std::uncaught_exceptions() > 0) {
    MESSAGE("kept: ", directory_.string());
    return;
  }
  os::remove_tree(directory_);
}

void Workplace::use_own_toolkit(bool with_pass) {
  const fs::path copy = directory_ / "cann";
  fs::copy(toolkit_, copy, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  toolkit_ = copy;
  if (!with_pass) {
    for (const auto& vendor : fs::directory_iterator(copy / "opp" / "vendors")) {
      fs::remove_all(vendor.path());
    }
  }
  environment_ = toolkit_environment(toolkit_, directory_);
}

void Workplace::write(const std::string& name, const std::string& text) const {
  std::ofstream(directory_ / name) << text;
}

Running Workplace::start(const std::vector<std::string>& command) {
  return {command, directory_, environment_};
}

Ended Workplace::run(const std::vector<std::string>& command) {
  return start(command).wait();
}

Running Workplace::start_tune(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(),
                   {program("mstune"), "tune", "--output-dir", (directory_ / "out").string()});
  return start(arguments);
}

Ended Workplace::tune(std::vector<std::string> arguments) {
  return start_tune(std::move(arguments)).wait();
}

std::vector<fs::path> Workplace::run_directories() const {
  std::vector<fs::path> runs;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(directory_ / "out", failure)) {
    runs.push_back(entry.path());
  }
  return runs;
}

fs::path Workplace::run_directory() const {
  const std::vector<fs::path> runs = run_directories();
  if (runs.size() != 1) {
    throw std::runtime_error("there is not exactly one run directory");
  }
  return runs.front();
}

nlohmann::json Workplace::summary() const {
  return nlohmann::json::parse(read_text(run_directory() / "summary.json"));
}

bool Workplace::has_temporary_files() const {
  return std::any_of(fs::directory_iterator(directory_), fs::directory_iterator(),
                     [](const fs::directory_entry& entry) {
                       return entry.path().filename().string().starts_with("mstune-");
                     });
}

bool eventually(const std::function<bool()>& condition, Duration wait) {
  const auto deadline = std::chrono::steady_clock::now() + wait;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= deadline) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // between looks, up to a deadline
  }
  return true;
}

std::string endpoint_in(const std::string& output) {
  constexpr std::string_view kMark = "listening at ";
  const auto mark = output.find(std::string(kMark) + "tcp://");
  const auto end = output.find('\n', mark);
  return mark == std::string::npos || end == std::string::npos
             ? std::string()
             : output.substr(mark + kMark.size(), end - mark - kMark.size());
}

std::string port_in(const std::string& output) {
  const std::string endpoint = endpoint_in(output);
  return endpoint.substr(endpoint.rfind(':') + 1);
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<pid_t> processes_with(const std::string& text) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      continue;
    }
    const std::string command = read_text(entry.path() / "cmdline");
    if (command.find(text) != std::string::npos && std::stoi(name) != ::getpid()) {
      found.push_back(std::stoi(name));
    }
  }
  return found;
}

std::string pass_of_build() {
  return (fs::path(MSTUNE_BIN_DIR) / "../build-pass/libmstune_pass.so").string();
}

fs::path vendors(const Workplace& place) {
  return place.toolkit() / "opp" / "vendors";
}

bool is_long() {
  return std::getenv("MSTUNE_TEST_LONG") != nullptr;
}

std::string program(const std::string& name) {
  return (fs::path(MSTUNE_BIN_DIR) / name).string();
}

std::string model(const std::string& name) {
  return (fs::path(MSTUNE_MODELS) / (name + ".graph")).string();
}

}  // namespace mstune::test
