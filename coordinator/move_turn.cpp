#include "coordinator/move_turn.h"

namespace mstune::coordinator {
namespace {

constexpr auto kLookEvery = std::chrono::milliseconds(100);
// Several looks of an agent that waits to measure.
constexpr auto kPause = std::chrono::milliseconds(500);

}  // namespace

bool MoveTurn::step(const Moves& moves, TimePoint now) {
  if (!moves.wanted && !moves.under_way) {
    turn_.release();
    turn_.withdraw();
    waits_since_ = kNever;
    next_look_ = kNever;
    return false;
  }
  next_look_ = after(now, kLookEvery);
  if (turn_.is_held() && turn_.others_wait()) {
    if (!moves.under_way) {
      turn_.release();
      pause_end_ = after(now, kPause);
    }
    return false;
  }
  const bool may = now >= pause_end_ && turn_.take();
  waits_since_ = may ? kNever : std::min(waits_since_, now);
  return may;
}

}  // namespace mstune::coordinator
