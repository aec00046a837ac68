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
