#include "agent/stuck_trials.h"

#include <set>

#include <doctest/doctest.h>

namespace mstune::agent {
namespace {

using std::chrono::seconds;

const TimePoint kStart{std::chrono::hours(1)};

os::ProcessInfo process(pid_t id) {
  os::ProcessInfo info;
  info.key = {id, 7};
  return info;
}

protocol::TrialKey trial(std::uint32_t number) {
  return {"campaign", number, 1, "agent"};
}

TEST_CASE("stuck trials: one is told once, when the last of its processes is gone") {
  StuckTrials stuck;
  CHECK(stuck.deadline() == kNever);
  std::set<pid_t> alive{11, 12, 13};
  const auto is_alive = [&](const os::ProcessKey& key) {
    return key.start_ticks == 7 && alive.contains(key.id);
  };
  stuck.add(trial(0), {process(11), process(12)}, kStart);
  stuck.add(trial(1), {process(13)}, kStart + seconds(1) / 2);
  CHECK(stuck.deadline() == kStart + seconds(1));

  alive = {12, 13};
  CHECK(stuck.look(is_alive, kStart + seconds(1)).empty());
  CHECK(stuck.deadline() == kStart + seconds(2));
  alive = {13};
  CHECK(stuck.look(is_alive, kStart + seconds(2) - Duration(1)).empty());  // it is not time yet
  CHECK(stuck.look(is_alive, kStart + seconds(2)) == std::vector{trial(0)});
  CHECK(stuck.look(is_alive, kStart + seconds(3)).empty());
  alive = {11};  // a number that was used again is no matter
  CHECK(stuck.look(is_alive, kStart + seconds(4)) == std::vector{trial(1)});
  CHECK(stuck.deadline() == kNever);
}

}  // namespace
}  // namespace mstune::agent
