#include "coordinator/move_turn.h"

#include <doctest/doctest.h>

#include "tests/unit/common_os/scratch.h"

namespace mstune::coordinator {
namespace {

using std::chrono::milliseconds;

const TimePoint kStart{std::chrono::hours(1)};
constexpr Moves kNothing{false, false};
constexpr Moves kWaiting{true, false};
constexpr Moves kUnderWay{true, true};

TEST_CASE(
    "move turn: is taken when there is something to move, and given back with the last of it") {
  const os::Scratch scratch;
  MoveTurn turn(scratch.path());
  os::MachineTurn measuring(os::Activity::measuring, scratch.path());
  CHECK_FALSE(turn.step(kNothing, kStart));
  CHECK(turn.deadline() == kNever);
  CHECK(measuring.take());
  measuring.release();
  CHECK_FALSE(turn.is_due(kNothing, kStart));
  CHECK(turn.is_due(kWaiting, kStart));
  CHECK(turn.step(kWaiting, kStart));
  CHECK_FALSE(turn.is_due(kWaiting, kStart + milliseconds(99)));
  CHECK(turn.is_due(kWaiting, kStart + milliseconds(100)));
  CHECK(turn.step(kUnderWay, kStart));
  CHECK_FALSE(measuring.take());
  measuring.withdraw();
  CHECK_FALSE(turn.step(kNothing, kStart));
  CHECK(measuring.take());
}

TEST_CASE("move turn: waits for what is measured, looks again and again, and says for how long") {
  const os::Scratch scratch;
  MoveTurn turn(scratch.path());
  os::MachineTurn measuring(os::Activity::measuring, scratch.path());
  CHECK(measuring.take());
  CHECK_FALSE(turn.step(kWaiting, kStart));
  CHECK(turn.deadline() == kStart + milliseconds(100));
  CHECK_FALSE(turn.step(kWaiting, kStart + milliseconds(100)));
  CHECK(turn.waited(kStart + milliseconds(100)) == milliseconds(100));
  measuring.release();
  CHECK(turn.step(kWaiting, kStart + milliseconds(200)));
  CHECK(turn.waited(kStart + milliseconds(200)) == Duration::zero());
}

TEST_CASE("move turn: nothing more begins when somebody wants to measure, who then has a pause") {
  const os::Scratch scratch;
  MoveTurn turn(scratch.path());
  os::MachineTurn measuring(os::Activity::measuring, scratch.path());
  CHECK(turn.step(kUnderWay, kStart));
  CHECK_FALSE(measuring.take());
  CHECK_FALSE(turn.step(kUnderWay, kStart + milliseconds(100)));
  CHECK_FALSE(measuring.take());  // what had begun goes on
  CHECK_FALSE(turn.step(kWaiting, kStart + milliseconds(200)));
  CHECK_FALSE(turn.step(kWaiting, kStart + milliseconds(1199)));
  CHECK(measuring.take());
  CHECK_FALSE(turn.step(kWaiting, kStart + milliseconds(1200)));
  CHECK_FALSE(measuring.take());
  measuring.release();
  CHECK(turn.step(kWaiting, kStart + milliseconds(1300)));
}

TEST_CASE("move turn: several who move files make their pause together") {
  const os::Scratch scratch;
  MoveTurn one(scratch.path());
  MoveTurn two(scratch.path());
  os::MachineTurn measuring(os::Activity::measuring, scratch.path());
  CHECK(one.step(kUnderWay, kStart));
  CHECK(two.step(kUnderWay, kStart));
  CHECK_FALSE(measuring.take());
  CHECK_FALSE(one.step(kWaiting, kStart + milliseconds(100)));
  CHECK_FALSE(two.step(kUnderWay, kStart + milliseconds(100)));
  // Long after its own last build the first one still waits for the second one's.
  CHECK_FALSE(one.step(kWaiting, kStart + milliseconds(5000)));
  CHECK_FALSE(two.step(kWaiting, kStart + milliseconds(5050)));
  CHECK_FALSE(one.step(kWaiting, kStart + milliseconds(5900)));
  CHECK(measuring.take());
  CHECK_FALSE(one.step(kWaiting, kStart + milliseconds(7000)));
  CHECK_FALSE(two.step(kWaiting, kStart + milliseconds(7000)));
  measuring.release();
  CHECK(one.step(kWaiting, kStart + milliseconds(7100)));
  CHECK(two.step(kWaiting, kStart + milliseconds(7100)));
}

TEST_CASE("move turn: what has begun goes on when others wait, but not after a break") {
  const os::Scratch scratch;
  MoveTurn turn(scratch.path());
  os::MachineTurn measuring(os::Activity::measuring, scratch.path());
  CHECK(turn.step(kUnderWay, kStart));
  CHECK_FALSE(measuring.take());
  CHECK_FALSE(turn.step(kUnderWay, kStart + milliseconds(100)));
  CHECK(turn.may_go_on());
  CHECK_FALSE(turn.step(kNothing, kStart + milliseconds(200)));  // its agent went away
  CHECK_FALSE(turn.may_go_on());
  CHECK(measuring.take());
  CHECK_FALSE(turn.step(kUnderWay, kStart + milliseconds(300)));  // and came back
  CHECK_FALSE(turn.may_go_on());
  measuring.release();
  CHECK(turn.step(kUnderWay, kStart + milliseconds(400)));
  CHECK(turn.may_go_on());
}

TEST_CASE("move turn: a wish that came to nothing is forgotten") {
  const os::Scratch scratch;
  MoveTurn turn(scratch.path());
  os::MachineTurn measuring(os::Activity::measuring, scratch.path());
  CHECK(measuring.take());
  CHECK_FALSE(turn.step(kWaiting, kStart));
  CHECK_FALSE(measuring.take());
  CHECK_FALSE(turn.step(kNothing, kStart + milliseconds(100)));
  CHECK(measuring.take());
}

}  // namespace
}  // namespace mstune::coordinator
