#include "common/os/process_tree.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "common/error.h"
#include "common/os/descriptor.h"
#include "common/os/failure.h"
#include "common/os/process.h"
#include "common/os/process_table.h"

namespace mstune::os {
namespace {

bool& is_subreaper() {
  static bool it_is = false;
  return it_is;
}

// Where orphans come to this process, all that it started is below it.
std::vector<ProcessInfo> list_own(std::string_view cookie, std::uint64_t since_ticks) {
  if (is_subreaper()) {
    if (auto descendants = list_descendants(cookie, since_ticks)) {
      return std::move(*descendants);
    }
  }
  return list_processes(cookie, since_ticks);
}

}  // namespace

void become_subreaper() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) {
    // Old kernels and emulators of user programs do not know it. Orphans go to init there, and are
    // found by their cookie.
    if (errno == EINVAL) {
      return;
    }
    throw environment_error("process_tree.no_subreaper",
                            "cannot become the parent of orphaned processes: {}", reason(errno));
  }
  is_subreaper() = true;
}

void reap_orphans() {
  siginfo_t info{};
  if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) {
    return;
  }
  if (!is_awaited(info.si_pid)) {
    ::waitpid(info.si_pid, nullptr, WNOHANG);  // needs no /proc
  }
  // waitid() names the same zombie until it is reaped: behind an awaited one others may hide.
  for (const ProcessInfo& process : list_own({}, 0)) {
    if (process.state == 'Z' && process.parent == ::getpid() && !is_awaited(process.key.id)) {
      ::waitpid(process.key.id, nullptr, WNOHANG);
    }
  }
}

std::vector<ProcessInfo> find_tree(TreeIdentity& tree) {
  ProcessInfo leader;
  const bool led = tree.leader > 0 && look_up(tree.leader, leader);
  // Nobody in the tree is older than its leader: the environments of the others stay unread.
  const std::uint64_t since_ticks = led ? leader.key.start_ticks : 0;
  std::vector<ProcessInfo> members =
      select_tree(led ? list_own(tree.cookie, since_ticks) : list_processes(tree.cookie),
                  tree.leader, tree.seen, ::getpid());
  tree.seen.clear();
  std::transform(members.begin(), members.end(), std::back_inserter(tree.seen),
                 [](const ProcessInfo& member) { return member.key; });
  return members;
}

std::vector<ProcessInfo> find_strays() {
  std::vector<ProcessInfo> strays = list_own({}, 0);
  std::erase_if(strays, [self = ::getpid()](const ProcessInfo& process) {
    return process.parent != self || process.state == 'Z' || is_awaited(process.key.id);
  });
  return strays;
}

bool is_running(const ProcessKey& process) {
  ProcessInfo now;
  if (look_up(process.id, now)) {
    return (now.key == process || process.start_ticks == 0) && now.state != 'Z';
  }
  return !look_up(::getpid(), now) && ::kill(process.id, 0) == 0;
}

bool signal_process(const ProcessKey& process, int number) {
  ProcessInfo now;
#if defined(SYS_pidfd_open) && defined(SYS_pidfd_send_signal)
  // The descriptor holds on to one process: what is compared is what gets the signal.
  const UniqueFd handle(static_cast<int>(::syscall(SYS_pidfd_open, process.id, 0U)));
  if (handle.valid()) {
    return look_up(process.id, now) && now.key == process &&
           ::syscall(SYS_pidfd_send_signal, handle.value(), number, nullptr, 0U) == 0;
  }
#endif
  return look_up(process.id, now) && now.key == process && ::kill(process.id, number) == 0;
}

TreeEnder::TreeEnder(TreeIdentity tree, EndingLimits limits)
    : tree_(std::move(tree)), ending_(limits) {}

EndingState TreeEnder::step(TimePoint now) {
  left_ = find_tree(tree_);
  if (left_.empty()) {
    // A walk through /proc is no snapshot: one that forks and ends at the wrong moment hides.
    left_ = find_tree(tree_);
  }
  const EndingStep step = ending_.handle(left_, now);
  if (step.signal != 0 && step.to_group && tree_.leader > 0) {
    // Catches what was forked between the look and now.
    ::kill(-tree_.leader, step.signal);
  }
  for (const ProcessKey& target : step.targets) {
    signal_process(target, step.signal);
  }
  reap_orphans();
  return step.state;
}

}  // namespace mstune::os
