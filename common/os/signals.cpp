#include "common/os/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

#include "common/error.h"
#include "common/os/failure.h"

namespace mstune::os {

SignalDescriptor::SignalDescriptor(std::initializer_list<int> numbers) {
  sigset_t wanted;
  ::sigemptyset(&wanted);
  for (const int number : numbers) {
    ::sigaddset(&wanted, number);
  }
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

void ignore_broken_pipes() {
  struct sigaction action {};
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, nullptr);
}

}  // namespace mstune::os
