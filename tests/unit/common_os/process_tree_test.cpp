#include "common/os/process_tree.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <sstream>
#include <thread>

#include <doctest/doctest.h>

#include "common/os/identity.h"
#include "common/os/process_table.h"
#include "tests/unit/common_os/programs.h"

namespace mstune::os {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr EndingLimits kGentle{std::chrono::seconds(20), std::chrono::seconds(20), milliseconds(5)};
constexpr EndingLimits kHarsh{milliseconds(0), std::chrono::seconds(20), milliseconds(5)};

struct Tree {
  std::string cookie = "MSTUNE_TEST=" + random_hex_id();
  Process leader;
  std::vector<pid_t> ids;  // as its members printed them

  // The script prints the ids of `count` members, one a line, each when it is in place.
  Tree(const std::string& text, std::size_t count) : leader(start(cookie, text)) {
    for (std::string output; ids.size() < count;) {
      output += read_output(leader, 1);
      REQUIRE_FALSE(leader.has_exited());
      for (auto end = output.find('\n'); end != std::string::npos; end = output.find('\n')) {
        ids.push_back(std::stoi(output.substr(0, end)));
        output.erase(0, end + 1);
      }
    }
  }

  static Process start(const std::string& cookie, const std::string& text) {
    become_subreaper();
    SpawnRequest request = script(text);
    request.environment.push_back(cookie);
    return Process(request);
  }

  [[nodiscard]] TreeIdentity identity() const { return {leader.id(), cookie, {}}; }
};

EndingState run_to_end(TreeEnder& ender) {
  for (;;) {
    const EndingState state = ender.step(steady_clock::now());
    if (state != EndingState::going_on) {
      return state;
    }
    std::this_thread::sleep_until(ender.deadline());
  }
}

bool is_alive(pid_t id) {
  ProcessInfo info;
  return look_up(id, info) && info.state != 'Z';
}

std::vector<pid_t> sorted(std::vector<pid_t> ids) {
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::vector<pid_t> found(TreeIdentity identity) {
  std::vector<pid_t> ids;
  for (const ProcessInfo& member : find_tree(identity)) {
    ids.push_back(member.key.id);
  }
  return sorted(ids);
}

// What is found once it is `expected`, or at last: a shell that started others may not be quite
// dead, and a process that calls exec shows no cookie for a moment.
std::vector<pid_t> found_soon(const TreeIdentity& identity, const std::vector<pid_t>& expected) {
  const auto limit = steady_clock::now() + kSoon;
  auto ids = found(identity);
  while (ids != expected && steady_clock::now() < limit) {
    std::this_thread::yield();
    ids = found(identity);
  }
  return ids;
}

// A member in a session of its own that prints its id; `wait` keeps the parent, too.
const std::string kSetsid = "setsid sh -c 'echo $$; exec sleep 1000' & ";
// One whose parents are gone at once.
const std::string kOrphan = "(setsid sh -c 'echo $$; exec sleep 1000' &) ; ";

TEST_CASE("process tree: who called setsid and who lost its parents is found") {
  Tree tree("echo $$; " + kSetsid + kOrphan + "wait", 3);
  CHECK(found_soon(tree.identity(), sorted(tree.ids)) == sorted(tree.ids));
  TreeEnder ender(tree.identity(), kHarsh);
  CHECK(run_to_end(ender) == EndingState::gone);
}

TEST_CASE("process tree: two trees below one agent are told apart") {
  Tree first(kOrphan + "echo $$; exec sleep 1000", 2);
  Tree second(kOrphan + "echo $$; exec sleep 1000", 2);
  CHECK(found_soon(first.identity(), sorted(first.ids)) == sorted(first.ids));
  CHECK(found_soon(second.identity(), sorted(second.ids)) == sorted(second.ids));

  TreeEnder ender(first.identity(), kHarsh);
  CHECK(run_to_end(ender) == EndingState::gone);
  CHECK(std::none_of(first.ids.begin(), first.ids.end(), is_alive));
  CHECK(std::all_of(second.ids.begin(), second.ids.end(), is_alive));
  TreeEnder other(second.identity(), kHarsh);
  CHECK(run_to_end(other) == EndingState::gone);
}

TEST_CASE("process tree: one that was seen is known after it dropped environment and parents") {
  Tree tree(
      "(env -i /usr/bin/setsid /bin/sh -c 'echo $$; exec sleep 1000' &) ; "
      "echo $$; exec sleep 1000",
      2);
  TreeIdentity identity = tree.identity();
  for (const pid_t id : tree.ids) {
    ProcessInfo info;
    REQUIRE(look_up(id, info));
    identity.seen.push_back(info.key);
  }
  CHECK(found_soon(identity, sorted(tree.ids)) == sorted(tree.ids));
  TreeEnder ender(identity, kHarsh);
  CHECK(run_to_end(ender) == EndingState::gone);
  CHECK(std::none_of(tree.ids.begin(), tree.ids.end(), is_alive));
}

TEST_CASE("process tree: an orphan without any mark is a stray of this process") {
  Tree tree("(env -i /usr/bin/setsid /bin/sh -c 'echo $$; exec sleep 1000' &) ; exec sleep 1000",
            1);
  const auto is_listed = [&] {
    const auto strays = find_strays();
    return std::any_of(strays.begin(), strays.end(),
                       [&](const ProcessInfo& stray) { return stray.key.id == tree.ids.front(); });
  };
  const auto limit = steady_clock::now() + kSoon;
  while (!is_listed() && steady_clock::now() < limit) {
    std::this_thread::yield();
  }
  REQUIRE(is_listed());
  ProcessInfo info;
  REQUIRE(look_up(tree.ids.front(), info));
  CHECK(signal_process(info.key, SIGKILL));
  CHECK_FALSE(signal_process({info.key.id, info.key.start_ticks + 1}, SIGKILL));
  while (is_alive(tree.ids.front()) && steady_clock::now() < limit) {
    std::this_thread::yield();
  }
  reap_orphans();
  CHECK_FALSE(look_up(tree.ids.front(), info));
}

TEST_CASE("process tree: who ends on SIGTERM may clean up") {
  Tree tree("trap 'echo cleaned; exit 4' TERM; echo $$; while :; do sleep 0.01; done", 1);
  TreeEnder ender(tree.identity(), kGentle);
  CHECK(run_to_end(ender) == EndingState::gone);
  CHECK(read_output(tree.leader).find("cleaned") != std::string::npos);
  CHECK(wait_exit(tree.leader).status == 4);
}

TEST_CASE("process tree: who ignores SIGTERM is killed after the grace, orphans as well") {
  Tree tree("trap '' TERM; " + kOrphan + "echo $$; " + kSetsid + "wait", 3);
  TreeEnder ender(tree.identity(), {milliseconds(50), std::chrono::seconds(20), milliseconds(5)});
  CHECK(run_to_end(ender) == EndingState::gone);
  CHECK(std::none_of(tree.ids.begin(), tree.ids.end(), is_alive));
  CHECK(wait_exit(tree.leader).status == -SIGKILL);
}

TEST_CASE("process tree: a program that forks faster than one can look comes to an end") {
  Tree tree("trap '' TERM; echo $$; while :; do (setsid sleep 1000 &); done", 1);
  TreeEnder ender(tree.identity(), kHarsh);
  CHECK(run_to_end(ender) == EndingState::gone);
  CHECK(wait_exit(tree.leader).status == -SIGKILL);
  CHECK(found({0, tree.cookie, {}}).empty());
}

TEST_CASE("process tree: left-overs of a former life are found by the cookie alone") {
  std::string cookie;
  std::vector<pid_t> ids;
  {
    Tree tree(kOrphan + "echo $$; exec sleep 1000", 2);
    cookie = tree.cookie;
    ids = tree.ids;
  }
  // The leader may not be quite dead.
  const auto limit = steady_clock::now() + kSoon;
  while (std::count_if(ids.begin(), ids.end(), is_alive) > 1 && steady_clock::now() < limit) {
    std::this_thread::yield();
  }
  const pid_t orphan = *std::find_if(ids.begin(), ids.end(), is_alive);
  TreeIdentity identity{0, cookie, {}};
  CHECK(found_soon(identity, {orphan}) == std::vector{orphan});
  TreeEnder ender(identity, kGentle);
  CHECK(run_to_end(ender) == EndingState::gone);
  CHECK_FALSE(is_alive(orphan));
}

TEST_CASE("process tree: orphans are reaped, awaited programs keep their status") {
  become_subreaper();
  Process awaited(script("exit 9"));
  REQUIRE(wait_readable(awaited.exit_descriptor(), kSoon));
  Process parent(script("(setsid sh -c 'echo $$; exit 5' &) ; exec sleep 1000"));
  const pid_t orphan = std::stoi(read_line(parent));
  ProcessInfo info;
  const auto limit = steady_clock::now() + kSoon;
  while (look_up(orphan, info) && steady_clock::now() < limit) {
    reap_orphans();
  }
  CHECK_FALSE(look_up(orphan, info));
  CHECK(awaited.reap()->status == 9);
}

}  // namespace
}  // namespace mstune::os
