#include "common/os/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

#include "common/error.h"
#include "common/os/failure.h"

namespace mstune::os {
namespace {

constexpr std::initializer_list<int> kEndingSignals{SIGINT, SIGTERM, SIGHUP};

bool is_ignored(int number) {
  struct sigaction action {};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t not_ignored(std::initializer_list<int> numbers) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : numbers) {
    if (!is_ignored(number)) {
      ::sigaddset(&set, number);
    }
  }
  return set;
}

// Where whoever started this program ignored them, no end of a child could be waited for.
void listen_to_children() {
  if (is_ignored(SIGCHLD)) {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &standard, nullptr);
  }
}

}  // namespace

SignalDescriptor::SignalDescriptor(std::initializer_list<int> numbers) {
  listen_to_children();
  const sigset_t wanted = not_ignored(numbers);
  ::pthread_sigmask(SIG_BLOCK, &wanted, &before_);
  descriptor_.reset(::signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!descriptor_.valid()) {
    const int error_number = errno;
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    throw environment_error("signals.no_descriptor", "cannot receive signals: {}",
                            reason(error_number));
  }
}

SignalDescriptor::~SignalDescriptor() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<int> SignalDescriptor::next() {
  signalfd_siginfo info{};
  if (::read(descriptor_.value(), &info, sizeof info) != sizeof info) {
    return std::nullopt;
  }
  return static_cast<int>(info.ssi_signo);
}

void hold_ending_signals() {
  const sigset_t ending = not_ignored(kEndingSignals);
  ::pthread_sigmask(SIG_BLOCK, &ending, nullptr);
}

void let_ending_signals_through() {
  const sigset_t ending = not_ignored(kEndingSignals);
  ::pthread_sigmask(SIG_UNBLOCK, &ending, nullptr);
}

void ignore_broken_pipes() {
  struct sigaction action {};
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, nullptr);
}

}  // namespace mstune::os
