#include "agent/execution.h"

#include <doctest/doctest.h>

#include "common/os/file.h"
#include "tests/unit/common_os/scratch.h"

namespace mstune::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kKiB = 1024;
const TimePoint kStart{std::chrono::hours(1)};

// A program that only sleeps, until it is killed with this; the test writes its plog.
class Sleeper {
 public:
  Sleeper() : execution_(prepare(scratch_), request(), limits(), kStart) {}
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

  Execution& execution() { return execution_; }
  void write_plog(std::size_t bytes) const {
    os::append_to(scratch_ / "plog/a.log", std::string(bytes - 1, 'x') + "\n");
  }

 private:
  static constexpr const char* kCookie = "MSTUNE_TEST_SLEEPER=1";

  static std::filesystem::path prepare(const os::Scratch& scratch) {
    os::make_directory(scratch / "plog");
    return scratch.path();
  }
  static os::SpawnRequest request() {
    os::SpawnRequest spawn;
    spawn.command = {"/bin/sleep", "600"};
    spawn.environment = {kCookie};
    return spawn;
  }
  static KeepLimits limits() {
    KeepLimits limits;
    limits.plog_bytes = 64 * kKiB;
    return limits;
  }

  os::Scratch scratch_;
  Execution execution_;
};

TEST_CASE("execution: what one read does not take is read at once, the rest somewhat later") {
  Sleeper sleeper;
  Execution& execution = sleeper.execution();
  sleeper.write_plog(6 * kKiB * kKiB);
  execution.read(kStart);
  CHECK(execution.deadline() == kStart);
  execution.read(kStart);
  CHECK(execution.deadline() == kStart + milliseconds(12));
}

TEST_CASE("execution: plog that nobody reads is too much at 64 times of what is kept") {
  Sleeper sleeper;
  Execution& execution = sleeper.execution();
  execution.pause(true);
  sleeper.write_plog(60 * kKiB * kKiB);
  execution.read(kStart + seconds(5));
  CHECK_FALSE(execution.has_too_much_plog());
  sleeper.write_plog(10 * kKiB * kKiB);
  CHECK(execution.deadline() == kStart + seconds(10));
  execution.read(kStart + seconds(10));
  CHECK(execution.has_too_much_plog());
}

TEST_CASE("execution: plog that is read is freed and never too much") {
  Sleeper sleeper;
  Execution& execution = sleeper.execution();
  for (int second = 0; second < 10; ++second) {
    sleeper.write_plog(kKiB * kKiB);
    execution.read(kStart + seconds(second));
  }
  CHECK_FALSE(execution.has_too_much_plog());
}

}  // namespace
}  // namespace mstune::agent
