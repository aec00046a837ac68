#include "common/os/signals.h"

#include <unistd.h>

#include <doctest/doctest.h>

#include "tests/unit/common_os/programs.h"

namespace mstune::os {
namespace {

TEST_CASE("signals: they arrive as something to read and end nothing") {
  SignalDescriptor signals;
  CHECK_FALSE(signals.next());
  ::kill(::getpid(), SIGTERM);
  REQUIRE(wait_readable(signals.descriptor(), kSoon));
  CHECK(signals.next() == SIGTERM);
  CHECK_FALSE(signals.next());
}

TEST_CASE("signals: the end of a program is one of them") {
  SignalDescriptor signals{SIGCHLD};
  Process process(script("exit 2"));
  REQUIRE(wait_readable(signals.descriptor(), kSoon));
  CHECK(signals.next() == SIGCHLD);
  CHECK(process.has_exited());
  CHECK(wait_exit(process).status == 2);
}

// Ignored while it lives.
class Ignored {
 public:
  explicit Ignored(int number) : number_(number) {
    struct sigaction action {};
    action.sa_handler = SIG_IGN;
    ::sigaction(number_, &action, &before_);
  }
  ~Ignored() { ::sigaction(number_, &before_, nullptr); }
  Ignored(const Ignored&) = delete;
  Ignored& operator=(const Ignored&) = delete;

 private:
  int number_;
  struct sigaction before_ {};
};

TEST_CASE("signals: one that was ignored stays ignored, and the others arrive") {
  const Ignored hangup(SIGHUP);
  SignalDescriptor signals;
  ::kill(::getpid(), SIGHUP);
  ::kill(::getpid(), SIGINT);
  CHECK(signals.next() == SIGINT);
  CHECK_FALSE(signals.next());
}

TEST_CASE("signals: children end audibly also where their ends were ignored") {
  const Ignored children(SIGCHLD);
  SignalDescriptor signals{SIGCHLD};
  Process process(script("exit 3"));
  REQUIRE(wait_readable(signals.descriptor(), kSoon));
  CHECK(wait_exit(process).status == 3);
}

TEST_CASE("signals: those that are held wait for whoever reads them") {
  sigset_t before;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  hold_ending_signals();
  ::kill(::getpid(), SIGHUP);
  ::kill(::getpid(), SIGINT);
  {
    SignalDescriptor signals;
    CHECK(signals.next() == SIGHUP);
    CHECK(signals.next() == SIGINT);
    ::kill(::getpid(), SIGTERM);
  }
  {
    SignalDescriptor later;  // held meanwhile: it ended nothing
    CHECK(later.next() == SIGTERM);
  }
  let_ending_signals_through();
  sigset_t now;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
  CHECK(::sigismember(&now, SIGTERM) == 0);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_CASE("signals: what was blocked before is restored") {
  sigset_t before;
  sigset_t now;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  REQUIRE(::sigismember(&before, SIGINT) == 0);
  {
    const SignalDescriptor signals;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
    CHECK(::sigismember(&now, SIGINT) == 1);
  }
  ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
  CHECK(::sigismember(&now, SIGINT) == 0);
}

}  // namespace
}  // namespace mstune::os
