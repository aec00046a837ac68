#include "common/os/process.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "common/error.h"
#include "common/os/awaited.h"
#include "common/os/spawn.h"

namespace mstune::os {
namespace {

UniqueFd open_exit_descriptor(pid_t id) {
#ifdef SYS_pidfd_open
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, id, 0U)));
#else
  static_cast<void>(id);
  return {};
#endif
}

std::chrono::microseconds duration(const timeval& value) {
  return std::chrono::seconds(value.tv_sec) + std::chrono::microseconds(value.tv_usec);
}

// A program that nobody waited for: its end is forced, and taken note of if that is quick.
void put_down(pid_t id, int exit_descriptor) {
  ::kill(-id, SIGKILL);
  ::kill(id, SIGKILL);
  if (exit_descriptor >= 0) {
    wait_readable(exit_descriptor, std::chrono::seconds(1));
  }
  ::waitpid(id, nullptr, WNOHANG);
  remove_awaited(id);
}

}  // namespace

Process::Process(const SpawnRequest& request) {
  if (request.command.empty() || request.command.front().empty()) {
    throw usage_error("process.no_command", "there is no program to run: the command is empty");
  }
  UniqueFd write_end;
  if (!request.output) {
    Pipe pipe = make_output_pipe();
    output_ = std::move(pipe.read);
    write_end = std::move(pipe.write);
  }
  id_ = start_program(request, request.output.value_or(write_end.value()));
  add_awaited(id_);
  exit_descriptor_ = open_exit_descriptor(id_);
}

Process::~Process() {
  if (id_ > 0 && !exit_) {
    put_down(id_, exit_descriptor());
  }
}

Process::Process(Process&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      exit_descriptor_(std::move(other.exit_descriptor_)),
      output_(std::move(other.output_)),
      exit_(std::exchange(other.exit_, std::nullopt)) {}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(exit_descriptor_, other.exit_descriptor_);
  std::swap(output_, other.output_);
  std::swap(exit_, other.exit_);
  return *this;
}

bool Process::has_exited() const {
  if (exit_ || id_ <= 0) {
    return true;
  }
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == id_;
}

void Process::signal_group(int number) const {
  if (id_ > 0 && !exit_) {
    ::kill(-id_, number);
  }
}

std::optional<Exit> Process::reap() {
  if (exit_ || id_ <= 0 || !has_exited()) {
    return exit_;
  }
  signal_group(SIGKILL);
  int status = 0;
  struct rusage usage {};
  if (::wait4(id_, &status, WNOHANG, &usage) != id_) {
    return std::nullopt;
  }
  remove_awaited(id_);
  exit_ = Exit{WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status),
               duration(usage.ru_utime), duration(usage.ru_stime), usage.ru_maxrss};
  return exit_;
}

Message exit_text(int status) {
  if (status >= 0) {
    return message("process.exit_status", "exit status {}", status);
  }
  const char* name = ::sigabbrev_np(-status);
  return message("process.killed", "killed by {}",
                 name == nullptr ? "signal " + std::to_string(-status) : "SIG" + std::string(name));
}

}  // namespace mstune::os
