#include "agent/measure_turn.h"

#include <doctest/doctest.h>

#include "tests/unit/common_os/scratch.h"

namespace mstune::agent {
namespace {

protocol::TrialKey trial(std::uint32_t number) {
  return {"campaign", number, 1, "i"};
}

TEST_CASE("measure turn: is kept until the last trial has ended, and not for none") {
  const os::Scratch scratch;
  MeasureTurn turn(scratch.path());
  os::MachineTurn moving(os::Activity::moving, scratch.path());
  CHECK(turn.take());
  turn.keep_for(trial(1));
  turn.keep_for(trial(2));
  turn.settle(false);
  CHECK_FALSE(moving.take());
  turn.let_go(trial(1));
  turn.settle(true);
  CHECK_FALSE(moving.take());
  turn.let_go(trial(2));
  turn.settle(true);
  CHECK(moving.take());
  moving.release();
  CHECK(turn.take());
  turn.settle(true);  // it was asked for, and nothing began
  CHECK(moving.take());
}

TEST_CASE("measure turn: one whose devices others use asks again when they are free") {
  const os::Scratch scratch;
  MeasureTurn turn(scratch.path());
  os::MachineTurn moving(os::Activity::moving, scratch.path());
  CHECK(turn.take());
  turn.keep_for(trial(1));
  CHECK(turn.take_for(trial(1)));
  turn.let_go(trial(1));
  turn.settle(false);
  CHECK(moving.take());
  CHECK_FALSE(turn.take_for(trial(1)));
  turn.settle(false);
  CHECK(moving.others_wait());
  moving.release();
  CHECK(turn.take_for(trial(1)));
  turn.settle(false);
  CHECK_FALSE(moving.take());
  turn.let_go(trial(1));
  turn.settle(false);
  CHECK(moving.take());
  CHECK_FALSE(moving.others_wait());
}

}  // namespace
}  // namespace mstune::agent
