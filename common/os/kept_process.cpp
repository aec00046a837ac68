#include "common/os/kept_process.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "common/error.h"
#include "common/os/awaited.h"
#include "common/os/keeper_process.h"
#include "common/os/spawn.h"

namespace mstune::os {
namespace {

KeeperPlan plan_of(int control, const KeeperOptions& options) {
  KeeperPlan plan;
  plan.control = control;
  plan.held_count = std::min(options.held.size(), KeeperPlan::kHeldMax);
  std::copy_n(options.held.begin(), plan.held_count, plan.held.begin());
  return plan;
}

struct Received {
  std::optional<KeeperNews> news;
  bool ended = false;  // the keeper has closed its end
};

Received receive(int control, int flags) {
  KeeperNews news;
  ssize_t count = 0;
  do {
    count = ::recv(control, &news, sizeof news, flags);
  } while (count < 0 && errno == EINTR);
  if (count == static_cast<ssize_t>(sizeof news)) {
    return {news, false};
  }
  return {std::nullopt, count >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK)};
}

}  // namespace

KeptProcess::KeptProcess(const SpawnRequest& request, const KeeperOptions& options) {
  if (request.command.empty() || request.command.front().empty()) {
    throw usage_error("process.no_command", "there is no program to run: the command is empty");
  }
  UniqueFd write_end;
  if (!request.output) {
    Pipe pipe = make_output_pipe();
    output_ = std::move(pipe.read);
    write_end = std::move(pipe.write);
  }
  start(request, request.output.value_or(write_end.value()), options);
}

void KeptProcess::start(const SpawnRequest& request, int output, const KeeperOptions& options) {
  Launch launch(request, output, options.cgroup);
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw launch.fork_error(errno);
  }
  control_ = UniqueFd(ends[0]);
  UniqueFd other(ends[1]);
  const KeeperPlan plan = plan_of(other.value(), options);
  keeper_ = fork_with_signals_blocked();
  if (keeper_ < 0) {
    throw launch.fork_error(errno);
  }
  if (keeper_ == 0) {
    keep(plan, launch);
  }
  other.reset();
  const auto started = receive(control_.value(), 0).news;
  auto failure = launch.wait_for_program();
  if (!failure && (!started || started->value < 0)) {
    failure = launch.fork_error(started ? -started->value : ECHILD);
  }
  if (failure) {
    kill_all();
    control_.reset();
    reap_failed(keeper_);
    throw std::move(*failure);
  }
  id_ = started->value;
  add_awaited(keeper_);
}

KeptProcess::~KeptProcess() {
  if (keeper_ > 0 && !over_) {
    kill_all();
    remove_awaited(keeper_);  // reaped with the orphans, unless it has ended by now
    ::waitpid(keeper_, nullptr, WNOHANG);
  }
}

void KeptProcess::take_news() {
  while (!over_) {
    const Received received = receive(control_.value(), MSG_DONTWAIT);
    if (received.ended) {
      take_end();
    } else if (received.news) {
      status_ = received.news->value;
    } else {
      return;
    }
  }
}

// Its socket is closed, so it ends now.
void KeptProcess::take_end() {
  int status = 0;
  while (::waitpid(keeper_, &status, 0) < 0 && errno == EINTR) {
  }
  remove_awaited(keeper_);
  control_.reset();
  over_ = true;
  keeper_lost_ = !WIFEXITED(status);
  status_ = status_.value_or(-SIGKILL);
}

void KeptProcess::order(char what) {
  if (control_.valid()) {
    static_cast<void>(::send(control_.value(), &what, 1, MSG_NOSIGNAL | MSG_DONTWAIT));
  }
}

void KeptProcess::let_go() {
  order(kKeeperReap);
}

void KeptProcess::kill_all() {
  order(kKeeperKill);
}

}  // namespace mstune::os
