#include "common/os/orphan_guard.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "common/error.h"
#include "common/os/close_range.h"

namespace mstune::os {
namespace {

constexpr int kLifeline = 3;  // in the guard

// Locks, and pipes whose readers wait for their end, would outlive this process with it.
void close_all_but_lifeline() {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    ::dup2(null, descriptor);
  }
  close_from(kLifeline + 1, Closing::now);
}

// True: dismissed. False: the other end is closed.
bool wait_for_word() {
  char word = 0;
  ssize_t count = 0;
  do {
    count = ::read(kLifeline, &word, 1);
  } while (count < 0 && errno == EINTR);
  return count == 1;
}

[[noreturn]] void guard(int lifeline, const std::function<void()>& act) {
  ::setsid();  // Ctrl-C is not meant for it
  ::prctl(PR_SET_NAME, "mstune-guard");
  static_cast<void>(!::chdir("/"));
  ::dup2(lifeline, kLifeline);
  close_all_but_lifeline();
  if (!wait_for_word()) {
    try {
      act();
    } catch (const Error&) {
      ::_exit(1);  // there is nobody to tell
    }
  }
  ::_exit(0);
}

}  // namespace

OrphanGuard::OrphanGuard(const std::function<void()>& act) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return;
  }
  UniqueFd own(ends[0]);
  const UniqueFd other(ends[1]);
  id_ = ::fork();
  if (id_ == 0) {
    guard(other.value(), act);
  }
  if (id_ > 0) {
    lifeline_ = std::move(own);
  }
}

OrphanGuard::~OrphanGuard() = default;

void OrphanGuard::dismiss() {
  if (lifeline_.valid()) {
    const char word = 'x';
    // Where it is gone already there is nothing to tell it.
    static_cast<void>(::send(lifeline_.value(), &word, 1, MSG_NOSIGNAL));
    lifeline_.reset();
    while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

}  // namespace mstune::os
