#include "agent/trial_runner.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "agent/exited_limits.h"
#include "agent/work_directory.h"
#include "common/error.h"
#include "common/os/clock.h"
#include "common/os/failure.h"
#include "common/os/file.h"
#include "common/os/limits.h"
#include "common/words.h"

namespace mstune::agent {
namespace {

namespace fs = std::filesystem;

JobSettings job_settings(const protocol::TrialSpec& spec, const RunnerSettings& settings) {
  JobSettings result;
  constexpr std::uint64_t kTimeoutMaxMs = 1000ULL * 3600 * 24 * 365;
  result.timeout = std::chrono::milliseconds(std::min(spec.timeout_ms, kTimeoutMaxMs));
  const Duration longest = settings.policy ? settings.policy->run_max : Duration::zero();
  if (longest > Duration::zero() &&
      (result.timeout == Duration::zero() || result.timeout > longest)) {
    result.timeout = longest;
    result.timeout_rule = "run-time in agent.conf";
  }
  result.reconnect_grace = settings.reconnect_grace;
  return result;
}

KeepLimits keep_limits(const protocol::TrialSpec& spec, const RunnerSettings& settings) {
  const std::uint64_t total = spec.output_limit_bytes == 0
                                  ? settings.output_limit_bytes
                                  : std::min(spec.output_limit_bytes, settings.output_limit_bytes);
  // A sixteenth for the end, which is where a program says why it failed.
  KeepLimits limits;
  limits.output.tail_bytes = static_cast<std::size_t>(total / 16);
  limits.output.head_bytes = total - limits.output.tail_bytes;
  limits.plog_bytes = total * 16;
  return limits;
}

// Throws an Error where it would become more than any system takes.
std::vector<std::string> filled_in(const std::vector<std::string>& words,
                                   std::string_view placeholder, const std::string& value) {
  constexpr std::size_t kArgumentBytesMax = std::size_t{2} << 20U;  // Linux's usual ARG_MAX
  if (const std::size_t bytes = bytes_after_replacing(words, placeholder, value.size());
      bytes > kArgumentBytesMax) {
    throw usage_error("agent.command_too_long",
                      "the trial's command would have {} once each {} is replaced, more than {}",
                      size_text(bytes), placeholder, size_text(kArgumentBytesMax));
  }
  return replace_placeholder(words, placeholder, value);
}

}  // namespace

TrialRunner::TrialRunner(protocol::TrialKey key, protocol::TrialSpec spec, RunnerSettings settings,
                         CannEnvironments& environments)
    : key_(std::move(key)),
      spec_(std::move(spec)),
      settings_(std::move(settings)),
      environments_(environments),
      job_(job_settings(spec_, settings_)) {}

TrialRunner::~TrialRunner() {
  execution_.reset();
  remove_directory();
}

void TrialRunner::begin(TimePoint now) {
  carry_out(job_.begin(now), now);
}

void TrialRunner::handle(const JobEvent& event, TimePoint now) {
  carry_out(job_.handle(event, now), now);
}

void TrialRunner::carry_out(const std::vector<JobAction>& actions, TimePoint now) {
  for (const JobAction& action : actions) {
    carry_out(action, now);
  }
}

void TrialRunner::carry_out(const JobAction& action, TimePoint now) {
  if (std::holds_alternative<PrepareEnvironment>(action)) {
    prepare(now);
  } else if (std::holds_alternative<StartProgram>(action)) {
    start(now);
  } else if (std::holds_alternative<EndTree>(action)) {
    ending_ = true;
    execution_->begin_end();
  } else if (std::holds_alternative<DrainOutput>(action)) {
    draining_ = true;
    // At once: a device cools down while its trial's last lines are read.
    look_.emplace(is_stuck() ? Meters() : settings_.meters, now);
    foreign_.emplace(is_stuck() ? ForeignCheck() : settings_.foreign, now);
  } else if (const auto* send = std::get_if<SendEvents>(&action)) {
    reports_.push_back({protocol::Events{key_, send->batch.first, send->batch.events}, {}});
  } else if (const auto* status = std::get_if<SendStatus>(&action)) {
    reports_.push_back({protocol::Status{key_, status->state, status->events, {}, {}}, {}});
  } else if (std::holds_alternative<RemoveJob>(action)) {
    remove_directory();
  }
}

void TrialRunner::prepare(TimePoint now) {
  try {
    os::make_private_directory(settings_.directory);
    os::make_private_directory(om_directory());
    os::make_private_directory(settings_.directory / "plog");
    os::AppendFile(settings_.directory / kCampaignFile).append(key_.campaign);
  } catch (const Error& error) {
    handle(NotStarted{error.message()}, now);
    return;
  }
  const std::size_t length = (settings_.directory / "plog").string().size();
  if (length > kPlogPathMax) {
    handle(NotStarted{message("agent.plog_path_too_long",
                              "the agent's working directory is too long: CANN writes no plog at "
                              "all below a path of {} bytes (at most {}); start the agent with a "
                              "shorter --work-dir",
                              length, kPlogPathMax)},
           now);
    return;
  }
  look_.emplace(settings_.meters, now);
  wants_files_ = !spec_.files.empty();
  wants_environment_ = true;
  become_ready(now);
}

void TrialRunner::on_laid_out(const std::optional<Message>& failure, TimePoint now) {
  wants_files_ = false;
  if (failure) {
    wants_environment_ = false;
    handle(NotStarted{*failure}, now);
  } else {
    become_ready(now);
  }
}

void TrialRunner::become_ready(TimePoint now) {
  if (!wants_environment_ || wants_files_) {
    return;
  }
  const auto found = environments_.find(spec_.cann_env, key_.campaign, now);
  auto readings = step_meters(now);
  if (!found || !readings) {
    return;
  }
  readings_before_ = std::move(*readings);
  look_.reset();
  wants_environment_ = false;
  if (const auto* failure = std::get_if<Message>(&*found)) {
    handle(NotStarted{*failure}, now);
    return;
  }
  base_ = std::get<Environment>(*found);
  handle(EnvironmentReady{}, now);
}

std::vector<std::string> TrialRunner::command() const {
  // What goes into a shell's text is quoted.
  const auto put_in = [&](const fs::path& path) {
    return spec_.shell ? join_words({path.string()}) : path.string();
  };
  std::vector<std::string> words =
      filled_in(spec_.command, "{om}", put_in(om_directory() / spec_.om));
  if (!spec_.files.empty()) {
    words = filled_in(words, "{files}", put_in(om_directory()));
  }
  if (spec_.shell) {
    return {"/bin/bash", "-c", words.front()};
  }
  return with_container_file(std::move(words), settings_.directory / "container");
}

os::SpawnRequest TrialRunner::spawn_request(Environment environment) const {
  const std::string& cookie = settings_.cookie;
  const auto equals = cookie.find('=');
  environment[cookie.substr(0, equals)] = cookie.substr(equals + 1);
  os::SpawnRequest request;
  request.command = command();
  request.environment = environment_strings(environment);
  request.working_directory =
      spec_.working_directory.empty() ? settings_.directory : fs::path(spec_.working_directory);
  return request;
}

// Judges the program by the owner's rules, and sees to it that what was judged is what runs.
std::optional<Message> TrialRunner::judge(os::SpawnRequest& request) const {
  // Where a shell may be run, what it runs cannot be told.
  if (!settings_.policy || settings_.policy->allow.empty() || spec_.shell) {
    return std::nullopt;
  }
  request.executable = os::resolve_program(request);
  if (request.executable.empty()) {
    return message("agent.no_such_program",
                   "cannot run {}: there is no such program in PATH or at that path, or it may not "
                   "be executed",
                   request.command.front());
  }
  return refusal_of_program(*settings_.policy, request.executable.string());
}

void TrialRunner::start(TimePoint now) {
  try {
    start_program(now);
  } catch (const Error& error) {
    handle(NotStarted{error.message()}, now);
  }
}

void TrialRunner::start_program(TimePoint now) {
  const fs::path& directory = settings_.directory;
  TrialEnvironment environment =
      trial_environment(spec_.inherit_environment ? *base_ : Environment{}, spec_,
                        {(directory / "plog").string(), settings_.devices});
  os::SpawnRequest request = spawn_request(std::move(environment.variables));
  if (auto why = judge(request)) {
    handle(NotStarted{std::move(*why)}, now);
    return;
  }
  for (const Message& notice : environment.notices) {
    handle(Noticed{notice}, now);
  }
  std::vector<int> held;
  for (const os::UniqueFd& lock : settings_.locks) {
    held.push_back(lock.value());
  }
  execution_.emplace(directory, request, keep_limits(spec_, settings_), now, std::move(held));
  program_ = std::move(request);
  handle(ProgramStarted{static_cast<std::uint64_t>(execution_->id()), os::wall_us(),
                        program_.command.front(), readings_before_},
         now);
}

void TrialRunner::pass_on(std::vector<protocol::Event> lines, TimePoint now) {
  if (!lines.empty()) {
    handle(LinesFound{std::move(lines)}, now);
  }
}

void TrialRunner::step(TimePoint now) {
  if (look_) {
    look_->step(now);  // whoever waits for it or does not: its descriptors must not stay readable
  }
  if (foreign_) {
    foreign_->step(now);
  }
  become_ready(now);
  if (now >= job_.deadline()) {
    handle(Tick{}, now);
  }
  if (!execution_ || job_.finished()) {
    return;
  }
  if (drained_) {
    finish_drain(now);
    return;
  }
  execution_->pause(!job_.takes_lines());
  if (draining_) {
    if (job_.takes_lines()) {
      drain(now);
    }
    return;
  }
  pass_on(execution_->read(now), now);
  if (execution_->has_too_much_plog()) {
    handle(PlogOverflowed{}, now);
  }
  if (execution_->take_exit()) {
    handle(ProgramExited{}, now);
  }
  if (ending_) {
    end_tree(now);
  }
}

std::vector<int> TrialRunner::descriptors(TimePoint now) const {
  std::vector<int> descriptors = execution_ && !drained_ && !job_.finished()
                                     ? execution_->descriptors(now)
                                     : std::vector<int>();
  const auto add = [&](const std::vector<int>& more) {
    descriptors.insert(descriptors.end(), more.begin(), more.end());
  };
  if (look_) {
    add(look_->descriptors());
  }
  if (foreign_) {
    add(foreign_->descriptors());
  }
  if (container_) {
    add(container_->descriptors());
  }
  return descriptors;
}

TimePoint TrialRunner::deadline() const {
  if (draining_) {
    return job_.takes_lines() ? TimePoint::min() : job_.deadline();
  }
  if (look_ && (!execution_ || drained_)) {
    return std::min({job_.deadline(), look_->deadline(), foreign_ ? foreign_->deadline() : kNever});
  }
  const bool executing = execution_ && job_.told_state() != protocol::TrialState::finished;
  return std::min({job_.deadline(), executing ? execution_->deadline() : kNever,
                   container_ ? container_->deadline() : kNever});
}

void TrialRunner::fetch(const protocol::Fetch& request) {
  protocol::FileData data{key_, request.file, request.offset, false, {}};
  std::string payload;
  if (request.file >= files_.size()) {
    data.failure = message("agent.no_such_file", "this trial has no file number {}", request.file);
  } else {
    const KeptFile& kept = files_[request.file];
    const fs::path path = settings_.directory / kept.path;
    const os::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file.valid() && os::is_shortage(errno)) {
      // Not answered: it is asked for again.
      throw environment_error("file.unreadable_now", "cannot read {}: {}", path.string(),
                              os::reason(errno));
    }
    payload.resize(std::min<std::size_t>(request.length, protocol::kPayloadBytesMax));
    const ssize_t got = file.valid() ? ::pread(file.value(), payload.data(), payload.size(),
                                               static_cast<off_t>(kept.begin + request.offset))
                                     : -1;
    payload.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    data.end = got <= 0 || request.offset + payload.size() >= kept.offered.size;
    if (got < 0) {
      data.failure = message("agent.file_unreadable", "{} of this trial cannot be read any more",
                             kept.offered.path.value);
    }
  }
  reports_.push_back({std::move(data), std::move(payload)});
}

std::vector<OutgoingReport> TrialRunner::take_reports() {
  return std::exchange(reports_, {});
}

void TrialRunner::remove_directory() const {
  try {
    os::remove_tree(settings_.directory);
  } catch (const Error&) {
    // The next start of the agent sweeps what is left.
  }
}

}  // namespace mstune::agent
