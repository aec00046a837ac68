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
  CHECK(turn.step(kWaiting, kStart));
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
  CHECK_FALSE(turn.step(kWaiting, kStart + milliseconds(699)));
  CHECK(measuring.take());
  CHECK_FALSE(turn.step(kWaiting, kStart + milliseconds(700)));
  CHECK_FALSE(measuring.take());
  measuring.release();
  CHECK(turn.step(kWaiting, kStart + milliseconds(800)));
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
