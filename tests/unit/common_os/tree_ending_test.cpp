#include "common/os/tree_ending.h"

#include <csignal>

#include <doctest/doctest.h>

namespace mstune::os {
namespace {

using std::chrono::milliseconds;

constexpr EndingLimits kLimits{milliseconds(1000), milliseconds(2000), milliseconds(20)};
constexpr pid_t kSelf = 1;

TimePoint at(int ms) {
  return TimePoint(milliseconds(ms));
}

ProcessInfo process(pid_t id, pid_t parent, pid_t session, char state = 'S') {
  ProcessInfo info;
  info.key = {id, static_cast<std::uint64_t>(id) * 10};
  info.parent = parent;
  info.group = session;
  info.session = session;
  info.state = state;
  return info;
}

std::vector<pid_t> ids(const std::vector<ProcessInfo>& processes) {
  std::vector<pid_t> result;
  for (const ProcessInfo& entry : processes) {
    result.push_back(entry.key.id);
  }
  return result;
}

using Ids = std::vector<pid_t>;

TEST_CASE("stat: a name with spaces and brackets does not move the fields") {
  ProcessInfo info;
  REQUIRE(
      parse_stat("42 (a) S (b) R 7 8 9 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 123456 1 2", info));
  CHECK(info.key == ProcessKey{42, 123456});
  CHECK(info.name == "a) S (b");
  CHECK(info.state == 'R');
  CHECK(info.parent == 7);
  CHECK(info.group == 8);
  CHECK(info.session == 9);
}

TEST_CASE("stat: what is cut or empty is refused") {
  ProcessInfo info;
  CHECK_FALSE(parse_stat("", info));
  CHECK_FALSE(parse_stat("42 (name", info));
  CHECK_FALSE(parse_stat("42 (name)", info));
  CHECK_FALSE(parse_stat("42 (name) S 1 2", info));
  CHECK_FALSE(parse_stat("42 (name) S 1 2 3 0 -1 0 0", info));
}

TEST_CASE("tree: its session, its descendants and what carries its mark belong, others do not") {
  ProcessInfo marked = process(50, kSelf, 50);
  marked.marked = true;
  const std::vector<ProcessInfo> all{
      process(kSelf, 0, kSelf), process(10, kSelf, 10), process(11, 10, 10),
      process(12, kSelf, 10),   process(13, 11, 13),    process(14, 13, 14),
      process(20, kSelf, 20),   process(21, 20, 20),    marked,
      process(51, 50, 51),
  };
  CHECK(ids(select_tree(all, 10, {}, kSelf)) == Ids{10, 11, 12, 13, 14, 50, 51});
}

TEST_CASE("tree: one that was seen before belongs, another one with its number does not") {
  const std::vector<ProcessInfo> all{process(30, kSelf, 30), process(31, kSelf, 31)};
  CHECK(ids(select_tree(all, 10, {{30, 300}, {31, 999}}, kSelf)) == Ids{30});
}

TEST_CASE("tree: zombies are no members but their children are") {
  const std::vector<ProcessInfo> all{process(10, kSelf, 10, 'Z'), process(11, 10, 11)};
  CHECK(ids(select_tree(all, 10, {}, kSelf)) == Ids{11});
}

TEST_CASE("tree: the one who asks is never a member, even when it carries the mark") {
  ProcessInfo self = process(kSelf, 10, 10);
  self.marked = true;
  const std::vector<ProcessInfo> all{self, process(20, kSelf, 20)};
  CHECK(select_tree(all, 10, {{kSelf, 10}}, kSelf).empty());
}

TEST_CASE("tree: without a leader and a mark nobody belongs") {
  CHECK(select_tree({process(10, kSelf, 0)}, 0, {}, kSelf).empty());
}

TEST_CASE("ending: nobody left is the end at once") {
  TreeEnding ending(kLimits);
  CHECK(ending.handle({}, at(0)).state == EndingState::gone);
  CHECK(ending.deadline() == kNever);
}

TEST_CASE(
    "ending: each process is asked once, latecomers too, and killed at the end of the grace") {
  TreeEnding ending(kLimits);
  const auto first = process(10, kSelf, 10);
  const auto late = process(11, 10, 11);
  EndingStep step = ending.handle({first}, at(0));
  CHECK(step.signal == SIGTERM);
  CHECK(step.targets == std::vector{first.key});
  CHECK_FALSE(step.to_group);
  CHECK(ending.deadline() == at(20));

  step = ending.handle({first, late}, at(20));
  CHECK(step.signal == SIGTERM);
  CHECK(step.targets == std::vector{late.key});
  step = ending.handle({first, late}, at(990));
  CHECK(step.signal == 0);
  CHECK(step.targets.empty());
  CHECK(ending.deadline() == at(1000));
  CHECK(ending.handle({first, late}, at(999)).signal == 0);

  step = ending.handle({first, late}, at(1000));
  CHECK(step.signal == SIGKILL);
  CHECK(step.to_group);
  CHECK(step.targets == std::vector{first.key, late.key});
  step = ending.handle({late}, at(1020));
  CHECK(step.signal == SIGKILL);
  CHECK(step.targets == std::vector{late.key});
  CHECK(ending.handle({}, at(1040)).state == EndingState::gone);
}

TEST_CASE("ending: what outlives the second time is stuck and is killed once more") {
  TreeEnding ending(kLimits);
  const auto stuck = process(10, kSelf, 10, 'D');
  ending.handle({stuck}, at(0));
  CHECK(ending.handle({stuck}, at(2999)).state == EndingState::going_on);
  CHECK(ending.deadline() == at(3000));
  const EndingStep step = ending.handle({stuck}, at(3000));
  CHECK(step.state == EndingState::stuck);
  CHECK(step.signal == SIGKILL);
  CHECK(ending.deadline() == kNever);
}

TEST_CASE("ending: without a grace the first signal is SIGKILL") {
  TreeEnding ending({milliseconds(0), milliseconds(1000), milliseconds(20)});
  CHECK(ending.handle({process(10, kSelf, 10)}, at(5)).signal == SIGKILL);
}

}  // namespace
}  // namespace mstune::os
