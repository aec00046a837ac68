#include "common/os/spawn.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "common/error.h"
#include "common/os/close_range.h"
#include "common/os/failure.h"
#include "common/os/limits.h"

namespace mstune::os {

// Everything that the child needs, made before the fork: in a program with threads the child may
// not allocate.
struct Launch::Plan {
  std::vector<std::string> paths;  // to try in this order
  std::vector<char*> arguments;
  std::vector<char*> environment;
  const char* directory = nullptr;
  int input = -1;
  int output = -1;
  int report = -1;
  int cgroup = -1;
  pid_t parent = 0;
  bool dies_with_parent = false;
};

namespace {

using Plan = Launch::Plan;
using Stage = Launch::Stage;
using Report = Launch::Report;

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (const std::string& text : texts) {
    // exec takes char* and changes nothing.
    result.push_back(const_cast<char*>(text.c_str()));
  }
  result.push_back(nullptr);
  return result;
}

std::string_view search_path(const std::vector<std::string>& environment) {
  constexpr std::string_view kName = "PATH=";
  const auto found =
      std::find_if(environment.begin(), environment.end(),
                   [&](const std::string& entry) { return entry.starts_with(kName); });
  return found == environment.end() ? std::string_view("/usr/local/bin:/bin:/usr/bin")
                                    : std::string_view(*found).substr(kName.size());
}

std::vector<std::string> paths_to_try(const SpawnRequest& request) {
  if (!request.executable.empty()) {
    return {request.executable.string()};
  }
  const std::string& program = request.command.front();
  if (program.find('/') != std::string::npos) {
    return {program};
  }
  std::vector<std::string> result;
  std::string_view rest = search_path(request.environment);
  for (;;) {
    const auto colon = rest.find(':');
    const std::string_view directory = rest.substr(0, colon);
    // An empty entry means the working directory.
    result.push_back((directory.empty() ? "." : std::string(directory)) + "/" + program);
    if (colon == std::string_view::npos) {
      return result;
    }
    rest.remove_prefix(colon + 1);
  }
}

void reset_signals() {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) {
    ::sigaction(number, &standard, nullptr);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// The errno of the most telling attempt: a program that may not be run beats none at all.
int try_to_execute(const Plan& plan) {
  int kept = ENOENT;
  for (const std::string& path : plan.paths) {
    ::execve(path.c_str(), plan.arguments.data(), plan.environment.data());
    if (errno == EACCES) {
      kept = EACCES;
    } else if (errno != ENOENT && errno != ENOTDIR) {
      return errno;
    }
  }
  return kept;
}

// Between fork and exec: only calls that are safe there. Never returns.
[[noreturn]] void become_program(const Plan& plan) {
  const auto fail = [&](Stage stage, int error_number) {
    const Report report{stage, error_number};
    // With the parent gone nobody wants to know.
    static_cast<void>(!::write(plan.report, &report, sizeof report));
    ::_exit(127);
  };
  if (::setsid() < 0) {
    fail(Stage::session, errno);
  }
  if (plan.cgroup >= 0) {
    // Where it fails the program runs all the same: the cgroup is not the only one that keeps it.
    static_cast<void>(!::write(plan.cgroup, "0", 1));
  }
  if (plan.dies_with_parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The parent may have ended before the call.
    if (::getppid() != plan.parent) {
      fail(Stage::parent, ESRCH);
    }
  }
  if (::dup2(plan.input, STDIN_FILENO) < 0 || ::dup2(plan.output, STDOUT_FILENO) < 0 ||
      ::dup2(plan.output, STDERR_FILENO) < 0) {
    fail(Stage::descriptors, errno);
  }
  close_from(STDERR_FILENO + 1, Closing::on_exec);
  if (plan.directory != nullptr && ::chdir(plan.directory) != 0) {
    fail(Stage::directory, errno);
  }
  reset_signals();
  restore_descriptor_limit();
  fail(Stage::program, try_to_execute(plan));
  ::_exit(127);
}

// The first of the paths that exists, as the child would have found it; empty when none does.
std::string existing_path(const SpawnRequest& request, const Plan& plan) {
  for (const std::string& path : plan.paths) {
    std::string full = (request.working_directory / path).string();
    struct stat info {};
    if (::stat(full.c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
      return full;
    }
  }
  return {};
}

Error program_error(const SpawnRequest& request, const Plan& plan, int error_number) {
  const std::string& program = request.command.front();
  const std::string found = existing_path(request, plan);
  if (error_number == ENOENT && !found.empty()) {
    return environment_error("process.no_interpreter",
                             "cannot run {}: it exists, but the interpreter that its first line "
                             "(#!) or its ELF header names does not; install that",
                             found);
  }
  if (error_number == ENOENT && program.find('/') == std::string::npos) {
    return environment_error("process.not_in_path",
                             "cannot run {}: not found in PATH={}; give its full path or set PATH",
                             program, search_path(request.environment));
  }
  if (error_number == ENOENT || error_number == ENOTDIR) {
    return environment_error(
        "process.not_found", "cannot run {}: there is no such file (a relative path begins at {})",
        program, request.working_directory.empty() ? "." : request.working_directory.string());
  }
  const std::string& shown = found.empty() ? program : found;
  if (error_number == EACCES) {
    return environment_error("process.not_executable",
                             "cannot run {}: permission denied; is it executable (chmod +x), and "
                             "its file system not mounted noexec?",
                             shown);
  }
  if (error_number == ENOEXEC) {
    return environment_error("process.unknown_format",
                             "cannot run {}: neither a program for this machine nor a script whose "
                             "first line names its interpreter (#!/bin/sh)",
                             shown);
  }
  if (error_number == E2BIG) {
    return environment_error("process.too_much",
                             "cannot run {}: arguments and environment are too long together",
                             shown);
  }
  return environment_error("process.cannot_run", "cannot run {}: {}", shown, reason(error_number));
}

Error spawn_error(const SpawnRequest& request, const Plan& plan, const Report& report) {
  if (report.stage == Stage::program) {
    return program_error(request, plan, report.error_number);
  }
  if (report.stage == Stage::directory) {
    return environment_error("process.no_working_directory", "cannot run {} in {}: {}",
                             request.command.front(), request.working_directory.string(),
                             reason(report.error_number));
  }
  return environment_error("process.cannot_run", "cannot run {}: {}", request.command.front(),
                           reason(report.error_number));
}

}  // namespace

void reap_failed(pid_t id) {
  while (::waitpid(id, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Pipe make_output_pipe() {
  Pipe pipe = make_pipe();
  set_nonblocking(pipe.read.value());
  // Whoever reads may look some ten times a second only, and a program that prints much should not
  // wait for that. Where the system refuses, 64 KiB have to do.
  constexpr int kPipeBytes = 1 << 20;
  static_cast<void>(::fcntl(pipe.read.value(), F_SETPIPE_SZ, kPipeBytes));
  return pipe;
}

pid_t fork_with_signals_blocked() {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t id = ::fork();
  if (id != 0) {
    const int kept = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = kept;
  }
  return id;
}

std::filesystem::path resolve_program(const SpawnRequest& request) {
  for (const std::string& path : paths_to_try(request)) {
    const std::filesystem::path full = request.working_directory / path;
    struct stat info {};
    std::error_code failure;
    if (::stat(full.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
        ::access(full.c_str(), X_OK) == 0) {
      return std::filesystem::canonical(full, failure);
    }
  }
  return {};
}

Launch::Launch(const SpawnRequest& request, int output, int cgroup)
    : request_(request),
      input_(::open("/dev/null", O_RDONLY | O_CLOEXEC)),
      report_(make_pipe()),
      plan_(std::make_unique<Plan>()) {
  if (!input_.valid()) {
    throw environment_error("process.no_null_device", "cannot open /dev/null: {}", reason(errno));
  }
  Plan& plan = *plan_;
  plan.paths = paths_to_try(request);
  plan.arguments = pointers(request.command);
  plan.environment = pointers(request.environment);
  plan.directory = request.working_directory.empty() ? nullptr : request.working_directory.c_str();
  plan.input = input_.value();
  plan.output = output;
  plan.report = report_.write.value();
  plan.cgroup = cgroup;
  plan.parent = ::getpid();
  plan.dies_with_parent = request.dies_with_parent;
}

Launch::~Launch() = default;

void Launch::become_program() const {
  os::become_program(*plan_);
}

std::optional<Error> Launch::wait_for_program() {
  report_.write.reset();
  Report report;
  const Chunk chunk =
      read_chunk(report_.read.value(), std::span(reinterpret_cast<char*>(&report), sizeof report));
  if (chunk.bytes.size() == sizeof report) {
    return spawn_error(request_, *plan_, report);
  }
  return std::nullopt;
}

Error Launch::fork_error(int error_number) const {
  return environment_error("process.cannot_start", "cannot start {}: {}", request_.command.front(),
                           reason(error_number));
}

pid_t start_program(const SpawnRequest& request, int output) {
  Launch launch(request, output);
  const pid_t id = fork_with_signals_blocked();
  if (id < 0) {
    throw launch.fork_error(errno);
  }
  if (id == 0) {
    launch.become_program();
  }
  if (auto failure = launch.wait_for_program()) {
    reap_failed(id);
    throw std::move(*failure);
  }
  return id;
}

}  // namespace mstune::os
