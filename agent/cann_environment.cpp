#include "agent/cann_environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "common/error.h"
#include "common/os/failure.h"
#include "common/os/file.h"

namespace mstune::agent {
namespace {

namespace fs = std::filesystem;

constexpr Duration kSourcingMax = std::chrono::seconds(60);
constexpr std::size_t kOutputKept = 2000;

// The script's own status counts for little: many end with a command that failed and meant nothing.
// What counts is that `env` could be run behind it. One that bash cannot read to its end would be
// sourced in part: it is asked first.
constexpr const char* kScript = R"(bash -n "$1" && { . "$1"; command env -0 > "$2"; })";

template <typename Why>
Message not_readable(const std::string& path, const Why& why) {
  return message("agent.cann_env_missing", "cann_env: {} cannot be read on the agent's machine: {}",
                 path, why);
}

// Before it is opened: bash would read a device without end. Its text is empty where it may be
// sourced.
Message refusal_of_file(const std::string& path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (failure) {
    return not_readable(path, failure.message());
  }
  if (status.type() != fs::file_type::regular) {
    return message(
        "agent.cann_env_no_file",
        "cann_env: {} is no file on the agent's machine but a {}: name the set_env.sh of "
        "the toolkit",
        path,
        status.type() == fs::file_type::directory
            ? message("word.directory", "directory")
            : message("word.device_or_pipe", "device, pipe or socket"));
  }
  if (::access(path.c_str(), R_OK) != 0) {
    return not_readable(path, os::reason(errno));
  }
  return {};
}

// The script behind a path. Where the owner limits programs it is the file itself: what is judged
// must be what is sourced, whatever links say by then.
std::variant<fs::path, Message> script_of(const std::optional<Policy>& policy,
                                          const std::string& path) {
  if (path.front() != '/' || path.find('\0') != std::string::npos) {
    return message("agent.relative_path",
                   "\"{}\" is not an absolute path, and the agent stands in no directory of yours",
                   path);
  }
  std::error_code failure;
  fs::path script = fs::canonical(path, failure);
  if (failure || !policy || policy->allow.empty()) {
    return path;  // whoever sources it says what is wrong
  }
  if (auto why = refusal_of_program(*policy, script.string())) {
    return *why;
  }
  return script;
}

Message not_sourced(const std::string& path, const Message& why) {
  return message("agent.cann_env_failed",
                 "cann_env: bash could not source {} on the agent's machine: {}", path, why);
}

void read_output(os::Process& process, std::string& output) {
  std::array<char, 4096> buffer{};
  for (;;) {
    const os::Chunk chunk = os::read_chunk(process.output(), buffer);
    if (chunk.bytes.empty()) {
      return;
    }
    output.append(chunk.bytes.substr(0, kOutputKept - std::min(kOutputKept, output.size())));
  }
}

}  // namespace

std::optional<std::variant<Environment, Message>> CannEnvironments::find(
    const std::string& path, const std::string& campaign, TimePoint now) {
  if (path.empty()) {
    return base_;
  }
  const auto script = script_of(policy_, path);
  if (const auto* why = std::get_if<Message>(&script)) {
    return *why;
  }
  if (Message why = refusal_of_file(path); !why.text.empty()) {
    return why;
  }
  std::error_code failure;
  const auto changed = fs::last_write_time(path, failure);
  if (failure) {
    return not_readable(path, failure.message());
  }
  auto [place, is_new] = entries_.try_emplace(path);
  Entry& entry = place->second;
  if (is_new || (!entry.run && (entry.campaign != campaign || entry.changed != changed))) {
    entry.campaign = campaign;
    entry.changed = changed;
    start(entry, std::get<fs::path>(script), now);
  }
  if (entry.run) {
    return std::nullopt;
  }
  return entry.outcome;
}

void CannEnvironments::start(Entry& entry, const fs::path& script, TimePoint now) {
  const fs::path result = directory_ / ("environment-" + std::to_string(++serial_));
  os::SpawnRequest request;
  request.command = {"bash", "-c", kScript, "bash", script.string(), result.string()};
  request.environment = environment_strings(base_);
  try {
    entry.run.emplace(Run{os::Process(request), result, {}, after(now, kSourcingMax)});
  } catch (const Error& error) {
    entry.outcome = error.message();
  }
}

bool CannEnvironments::step(Entry& entry, const std::string& path, TimePoint now) {
  Run& run = *entry.run;
  read_output(run.process, run.output);
  if (now >= run.deadline) {
    run.process.signal_group(SIGKILL);
    entry.outcome = not_sourced(path, message("agent.cann_env_slow", "it did not end within 60 s"));
  } else if (!run.process.has_exited()) {
    return false;
  } else {
    run.process.reap();
    read_output(run.process, run.output);
    try {
      entry.outcome = parse_environment(std::string_view(os::read_file(run.result)));
    } catch (const Error&) {
      entry.outcome = not_sourced(path, run.output.empty()
                                            ? message("agent.cann_env_silent", "it printed nothing")
                                            : message("agent.cann_env_printed", "{}", run.output));
    }
  }
  os::remove_tree(run.result);
  entry.run.reset();
  return true;
}

bool CannEnvironments::step(TimePoint now) {
  bool any_ended = false;
  for (auto& [path, entry] : entries_) {
    if (entry.run && step(entry, path, now)) {
      any_ended = true;
    }
  }
  return any_ended;
}

std::vector<int> CannEnvironments::descriptors() const {
  std::vector<int> result;
  for (const auto& [path, entry] : entries_) {
    if (entry.run) {
      result.push_back(entry.run->process.exit_descriptor());
    }
  }
  return result;
}

TimePoint CannEnvironments::deadline() const {
  TimePoint earliest = kNever;
  for (const auto& [path, entry] : entries_) {
    earliest = entry.run ? std::min(earliest, entry.run->deadline) : earliest;
  }
  return earliest;
}

}  // namespace mstune::agent
