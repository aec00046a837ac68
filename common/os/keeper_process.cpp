#include "common/os/keeper_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

#include "common/os/close_range.h"

namespace mstune::os {
namespace {

// Descriptors in the keeper; the locks that it holds follow.
constexpr int kControl = 3;
constexpr int kSignals = 4;
constexpr int kHeld = 5;

constexpr int kForEver = -1;
constexpr int kFirstPauseMs = 2;
constexpr int kLongestPauseMs = 1000;
constexpr long kGraceMs = 2000;  // from SIGTERM to SIGKILL, once nobody is there to decide

struct Keeping {
  pid_t program = 0;
  bool exit_told = false;
  bool may_reap = false;  // the program as well
  bool kills = false;
  bool is_alone = false;
  int pause_ms = kFirstPauseMs;
  long kills_at_ms = 0;
};

long now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

void tell(int control, KeeperNews::What what, int value) {
  const KeeperNews news{what, value};
  // With the other end gone nobody wants to know.
  static_cast<void>(::send(control, &news, sizeof news, MSG_NOSIGNAL));
}

// Takes note of the ends of children. False when none is left.
bool reap(Keeping& keeping) {
  for (;;) {
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0) {
      return errno != ECHILD;
    }
    if (info.si_pid == 0) {
      return true;
    }
    if (info.si_pid == keeping.program) {
      if (!keeping.exit_told) {
        keeping.exit_told = true;
        tell(kControl, KeeperNews::What::exited,
             info.si_code == CLD_EXITED ? info.si_status : -info.si_status);
      }
      // Its id is its group's as well: nobody else may get it while that is signalled.
      if (!keeping.may_reap) {
        return true;
      }
    }
    ::waitpid(info.si_pid, nullptr, WNOHANG | __WALL);
  }
}

bool is_child(pid_t id) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(id), &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
}

// The number that was given out last; nothing beyond it is in use until numbers begin anew.
pid_t newest_id() {
  constexpr pid_t kIdMax = 1 << 22;  // PID_MAX_LIMIT
  const pid_t id = ::fork();
  if (id == 0) {
    ::_exit(0);
  }
  if (id > 0) {
    ::waitpid(id, nullptr, 0);
  }
  return id > 0 ? id : kIdMax;
}

// Where the kernel does not list children it is asked of each number that there can be: up to the
// newest, and now and then of all, for those from before the numbers began anew.
void signal_children_by_number(int number) {
  constexpr pid_t kIdMax = 1 << 22;
  constexpr int kAllEvery = 8;
  static int looks = 0;
  const pid_t last = ++looks % kAllEvery == 0 ? kIdMax : newest_id();
  for (pid_t id = 2; id <= last; ++id) {
    if (is_child(id)) {
      ::kill(id, number);
    }
  }
}

// Nobody gets the number of a child before it is reaped, which is done here and nowhere else.
void signal_children(int number) {
  const int list = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (list < 0) {
    signal_children_by_number(number);
    return;
  }
  std::array<char, 4096> buffer{};
  pid_t id = 0;
  ssize_t count = 0;
  while ((count = ::read(list, buffer.data(), buffer.size())) > 0) {
    std::for_each(buffer.begin(), buffer.begin() + count, [&](char letter) {
      if (letter >= '0' && letter <= '9') {
        id = id * 10 + (letter - '0');
      } else if (id > 0) {
        ::kill(id, number);
        id = 0;
      }
    });
  }
  ::close(list);
}

void begin_to_kill(Keeping& keeping) {
  keeping.may_reap = true;
  keeping.kills = true;
}

// Whoever it was kept for has ended.
void be_alone(Keeping& keeping) {
  keeping.is_alone = true;
  if (!keeping.kills) {
    keeping.kills_at_ms = now_ms() + kGraceMs;
    if (!keeping.may_reap) {
      ::kill(-keeping.program, SIGTERM);
    }
    signal_children(SIGTERM);
    keeping.may_reap = true;
  }
}

void take_orders(Keeping& keeping) {
  char order = 0;
  const ssize_t count = ::recv(kControl, &order, 1, MSG_DONTWAIT);
  if (count == 1) {
    keeping.may_reap = true;
    if (order == kKeeperKill) {
      begin_to_kill(keeping);
    }
  } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
    be_alone(keeping);
  }
}

int time_to_wait_ms(Keeping& keeping) {
  if (keeping.kills) {
    const int pause = keeping.pause_ms;
    keeping.pause_ms = std::min(2 * pause, kLongestPauseMs);
    return pause;
  }
  return keeping.is_alone ? static_cast<int>(std::max(keeping.kills_at_ms - now_ms(), 0L))
                          : kForEver;
}

// Whoever it was about is found by reap().
void drain_signals() {
  signalfd_siginfo ignored{};
  while (::read(kSignals, &ignored, sizeof ignored) > 0) {
  }
}

void watch(Keeping& keeping) {
  while (reap(keeping)) {
    if (keeping.is_alone && now_ms() >= keeping.kills_at_ms) {
      begin_to_kill(keeping);
    }
    if (keeping.kills) {
      // Children of those that are killed come here, and are killed in their turn.
      signal_children(SIGKILL);
      // The search may have made a child of its own, which is no news.
      drain_signals();
      if (!reap(keeping)) {
        return;
      }
    }
    std::array<pollfd, 2> polled{
        pollfd{kSignals, POLLIN, 0},
        pollfd{keeping.is_alone ? -1 : kControl, POLLIN, 0},
    };
    ::poll(polled.data(), polled.size(), time_to_wait_ms(keeping));
    if (polled[0].revents != 0) {
      drain_signals();
    }
    if (polled[1].revents != 0) {
      take_orders(keeping);
    }
  }
}

int open_signals() {
  sigset_t children;
  ::sigemptyset(&children);
  ::sigaddset(&children, SIGCHLD);
  return ::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
}

// Puts what the keeper needs where it belongs and closes all else. The descriptors come from the
// other side, so they may stand in each other's places: they are moved out of the way first.
void arrange_descriptors(const KeeperPlan& plan) {
  constexpr int kAbove = kHeld + static_cast<int>(KeeperPlan::kHeldMax);
  const int control = ::fcntl(plan.control, F_DUPFD_CLOEXEC, kAbove);
  std::array<int, KeeperPlan::kHeldMax> held{};
  for (std::size_t i = 0; i < plan.held_count; ++i) {
    held[i] = ::fcntl(plan.held[i], F_DUPFD_CLOEXEC, kAbove);
  }
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    ::dup2(null, descriptor);
  }
  ::dup2(control, kControl);
  for (std::size_t i = 0; i < plan.held_count; ++i) {
    const int place = kHeld + static_cast<int>(i);
    if (::dup2(held[i], place) != place) {
      ::close(place);  // of no use there, and not to be kept open
    }
  }
  close_from(kHeld + static_cast<int>(plan.held_count), Closing::now);
  ::close(kSignals);
  const int signals = open_signals();
  if (signals != kSignals) {
    ::dup2(signals, kSignals);
    ::close(signals);
  }
}

}  // namespace

void keep(const KeeperPlan& plan, const Launch& launch) {
  ::setsid();  // what is sent to the agent's group is not meant for it
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  ::prctl(PR_SET_NAME, "mstune-keeper");
  Keeping keeping;
  keeping.program = ::fork();
  if (keeping.program == 0) {
    launch.become_program();
  }
  tell(plan.control, KeeperNews::What::started, keeping.program < 0 ? -errno : keeping.program);
  static_cast<void>(!::chdir("/"));
  arrange_descriptors(plan);
  if (keeping.program > 0) {
    watch(keeping);
  }
  ::_exit(0);
}

}  // namespace mstune::os
