// Real processes below a real keeper.
#include "common/os/kept_process.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include <doctest/doctest.h>

#include "common/error.h"
#include "common/os/clock.h"
#include "common/os/kept_ending.h"
#include "common/os/process_table.h"
#include "common/os/process_tree.h"
#include "common/os/trial_cgroup.h"
#include "tests/unit/common_os/scratch.h"
#include "tests/unit/error_id.h"

namespace mstune::os {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr EndingLimits kHarsh{milliseconds(0), seconds(20), milliseconds(5)};

// Without the trial's environment, in a session of its own, and nobody's child in the end.
const std::string kHostile =
    "(env -i /usr/bin/setsid /bin/sh -c 'trap \"\" TERM; echo $$; exec sleep 1000' &) ; ";

SpawnRequest script(const std::string& text) {
  SpawnRequest request;
  request.command = {"/bin/sh", "-c", text};
  request.environment = {"PATH=/usr/bin:/bin"};
  return request;
}

bool eventually(const std::function<bool()>& condition) {
  const TimePoint limit = steady_now() + seconds(20);
  while (!condition() && steady_now() < limit) {
    std::this_thread::sleep_for(milliseconds(2));
  }
  return condition();
}

bool is_alive(pid_t id) {
  ProcessInfo info;
  return look_up(id, info) && info.state != 'Z';
}

pid_t read_id(const KeptProcess& process) {
  std::string line;
  std::array<char, 1> letter{};
  while (line.empty() || line.back() != '\n') {
    wait_readable(process.output(), seconds(20));
    const Chunk chunk = read_chunk(process.output(), letter);
    REQUIRE_FALSE(chunk.ended);
    line += chunk.bytes;
  }
  return std::stoi(line);
}

EndingState run_to_end(KeptEnder& ender) {
  EndingState state = EndingState::going_on;
  REQUIRE(eventually([&] {
    state = ender.step(steady_now());
    return state != EndingState::going_on;
  }));
  return state;
}

bool has_status(KeptProcess& process) {
  return eventually([&] {
    process.take_news();
    return process.status().has_value();
  });
}

TEST_CASE("kept process: how the program ended is told, and that nobody is left") {
  KeptProcess process(script("exit 7"));
  REQUIRE(has_status(process));
  CHECK(process.status() == 7);
  CHECK_FALSE(process.is_over());
  KeptEnder ender(process, nullptr, {});
  CHECK(run_to_end(ender) == EndingState::gone);
  CHECK(process.is_over());
  CHECK(ender.left_behind().empty());
}

TEST_CASE("kept process: a signal is told as a negative number") {
  KeptProcess process(script("kill -SEGV $$"));
  REQUIRE(has_status(process));
  CHECK(process.status() == -SIGSEGV);
}

TEST_CASE("kept process: what cannot be started is said as Process says it") {
  SpawnRequest request;
  request.command = {"/nowhere/at/all"};
  CHECK(error_id([&] { KeptProcess process(request); }) == "process.not_found");
  CHECK(error_id([] { KeptProcess process(SpawnRequest{}); }) == "process.no_command");
}

TEST_CASE("kept process: who left environment, session and parents behind is found and ended") {
  KeptProcess process(script(kHostile + "exit 0"));
  const pid_t hostile = read_id(process);
  REQUIRE(has_status(process));
  CHECK(is_alive(hostile));
  KeptEnder ender(process, nullptr, kHarsh);
  CHECK(run_to_end(ender) == EndingState::gone);
  CHECK_FALSE(is_alive(hostile));
  REQUIRE(ender.left_behind().size() == 1);
  CHECK(ender.left_behind().front().key.id == hostile);
}

TEST_CASE("kept process: two at a time are told apart") {
  KeptProcess first(script(kHostile + "exit 0"));
  KeptProcess second(script(kHostile + "exit 0"));
  const pid_t of_first = read_id(first);
  const pid_t of_second = read_id(second);
  KeptEnder ender(first, nullptr, kHarsh);
  CHECK(run_to_end(ender) == EndingState::gone);
  CHECK_FALSE(is_alive(of_first));
  CHECK(is_alive(of_second));
  KeptEnder other(second, nullptr, kHarsh);
  CHECK(run_to_end(other) == EndingState::gone);
  CHECK_FALSE(is_alive(of_second));
}

TEST_CASE("kept process: who forks faster than one can look comes to an end") {
  KeptProcess process(script("trap '' TERM; echo $$; while :; do (setsid sleep 1000 &); done"));
  read_id(process);
  KeptEnder ender(process, nullptr, kHarsh);
  CHECK(run_to_end(ender) == EndingState::gone);
  CHECK(process.status() == -SIGKILL);
}

TEST_CASE("kept process: when it goes, the keeper ends everybody") {
  pid_t hostile = 0;
  {
    KeptProcess process(script(kHostile + "exec sleep 1000"));
    hostile = read_id(process);
  }
  CHECK(eventually([&] { return !is_alive(hostile); }));
}

TEST_CASE("kept process: whoever held it may be killed: the keeper ends everybody, locks go last") {
  const Scratch scratch;
  const std::string path = scratch / "lock";
  const UniqueFd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  Pipe told = make_pipe();
  const pid_t owner = ::fork();
  REQUIRE(owner >= 0);
  if (owner == 0) {
    const UniqueFd own(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    ::flock(own.value(), LOCK_EX);
    KeptProcess process(script(kHostile + "exec sleep 1000"), {{own.value()}, -1});
    const pid_t hostile = read_id(process);
    static_cast<void>(!::write(told.write.value(), &hostile, sizeof hostile));
    ::pause();
    ::_exit(0);
  }
  pid_t hostile = 0;
  REQUIRE(::read(told.read.value(), &hostile, sizeof hostile) == sizeof hostile);
  ::kill(owner, SIGKILL);
  REQUIRE(::waitpid(owner, nullptr, 0) == owner);
  CHECK(::flock(lock.value(), LOCK_EX | LOCK_NB) != 0);
  CHECK(is_alive(hostile));  // it ignores SIGTERM
  CHECK(eventually([&] { return ::flock(lock.value(), LOCK_EX | LOCK_NB) == 0; }));
  CHECK_FALSE(is_alive(hostile));
}

TEST_CASE("kept process: a program that kills its keeper is ended all the same") {
  become_subreaper();
  KeptProcess process(script(kHostile + "kill -9 $PPID; exec sleep 1000"));
  const pid_t hostile = read_id(process);
  const pid_t program = process.id();
  REQUIRE(eventually([&] {
    process.take_news();
    return process.is_over();
  }));
  CHECK(process.is_keeper_lost());
  KeptEnder ender(process, nullptr, kHarsh);
  CHECK(run_to_end(ender) == EndingState::gone);
  CHECK_FALSE(is_alive(hostile));
  CHECK_FALSE(is_alive(program));
  reap_orphans();
}

TEST_CASE("cgroup: where this process's own one is, in the words of /proc") {
  const std::string hybrid =
      "30 22 0:27 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
      "38 30 0:35 / /sys/fs/cgroup/pids rw,relatime shared:9 - cgroup cgroup rw,pids\n"
      "40 30 0:37 / /sys/fs/cgroup/unified rw,relatime shared:9 master:2 - cgroup2 cgroup2 rw\n";
  const std::string unified = "30 22 0:27 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n";
  const std::string part = "30 22 0:27 /a/b /sys/fs/cgroup ro - cgroup2 cgroup rw\n";
  CHECK(own_cgroup(hybrid, "8:pids:/x\n0::/\n") == "/sys/fs/cgroup/unified/");
  CHECK(own_cgroup(unified, "0::/system.slice/mstune-agent.service\n") ==
        "/sys/fs/cgroup/system.slice/mstune-agent.service");
  CHECK(own_cgroup(part, "0::/a/b/c\n") == "/sys/fs/cgroup/c");
  CHECK_FALSE(own_cgroup(part, "0::/a/x\n").has_value());
  CHECK_FALSE(own_cgroup(unified, "8:pids:/x\n").has_value());
  CHECK_FALSE(own_cgroup("", "0::/\n").has_value());
  CHECK_FALSE(own_cgroup("one\ntwo words\n", "0::/\n").has_value());
}

TEST_CASE("cgroup: all in it are killed at one go, where one can be made") {
  const auto cgroup = TrialCgroup::make("mstune-test-" + std::to_string(::getpid()));
  if (!cgroup) {
    MESSAGE("no cgroup can be made here");
    return;
  }
  KeptProcess process(script(kHostile + "echo $$; exec sleep 1000"), {{}, cgroup->entry()});
  const pid_t one = read_id(process);
  const pid_t other = read_id(process);
  CHECK_FALSE(cgroup->is_empty());
  cgroup->kill();
  CHECK(eventually([&] { return !is_alive(one) && !is_alive(other); }));
  KeptEnder ender(process, &*cgroup, {});
  CHECK(run_to_end(ender) == EndingState::gone);
  CHECK(cgroup->is_empty());
}

}  // namespace
}  // namespace mstune::os
