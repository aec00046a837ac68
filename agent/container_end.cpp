#include "agent/container_end.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>

#include "agent/npu_smi_text.h"
#include "common/error.h"
#include "common/os/file.h"

namespace mstune::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOption = "--cidfile";
constexpr Duration kEndMax = std::chrono::seconds(20);

bool is_runtime(const std::string& program) {
  constexpr std::array<std::string_view, 3> kRuntimes{"docker", "podman", "nerdctl"};
  const std::string name = fs::path(program).filename().string();
  return std::find(kRuntimes.begin(), kRuntimes.end(), name) != kRuntimes.end();
}

// Where the options of `run` begin; the end where it is no such command, or one without an image.
std::vector<std::string>::const_iterator run_options(const std::vector<std::string>& command) {
  if (command.empty() || !is_runtime(command.front())) {
    return command.end();
  }
  const auto run = std::find(command.begin() + 1, command.end(), "run");
  return run == command.end() ? run : run + 1;
}

}  // namespace

fs::path container_file(const std::vector<std::string>& command) {
  for (auto word = run_options(command); word != command.end(); ++word) {
    if (*word == kOption && word + 1 != command.end()) {
      return *(word + 1);
    }
    if (word->starts_with(std::string(kOption) + "=")) {
      return word->substr(kOption.size() + 1);
    }
  }
  return {};
}

std::vector<std::string> with_container_file(std::vector<std::string> command,
                                             const fs::path& file) {
  const auto options = run_options(command);
  if (options != command.end() && container_file(command).empty()) {
    command.insert(options, std::string(kOption) + "=" + file.string());
  }
  return command;
}

ContainerEnd::ContainerEnd(const std::string& runtime, const fs::path& file,
                           const Environment& environment, TimePoint now) {
  try {
    const std::string text = os::read_file(file);
    const std::string id(trimmed(std::string_view(text).substr(0, text.find('\n'))));
    if (id.empty()) {
      return;
    }
    os::SpawnRequest request;
    request.command = {runtime, "kill", id};
    request.environment = environment_strings(environment);
    process_.emplace(request);
    limit_ = after(now, kEndMax);
  } catch (const Error&) {
    // No file: no container was made. No runtime: it could not have made one.
  }
}

bool ContainerEnd::step(TimePoint now) {
  if (process_ && now >= limit_) {
    process_->signal_group(SIGKILL);
  }
  if (process_ && (process_->has_exited() || now >= limit_)) {
    // One that has ended by itself cannot be killed: its status says nothing.
    process_->reap();
    process_.reset();
    limit_ = kNever;
  }
  return !process_;
}

std::vector<int> ContainerEnd::descriptors() const {
  return process_ && process_->exit_descriptor() >= 0
             ? std::vector<int>{process_->exit_descriptor()}
             : std::vector<int>();
}

TimePoint ContainerEnd::deadline() const {
  return limit_;
}

}  // namespace mstune::agent
