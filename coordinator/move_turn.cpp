#include "coordinator/move_turn.h"

namespace mstune::coordinator {
namespace {

constexpr auto kLookEvery = std::chrono::milliseconds(100);
// Several looks of an agent that waits to measure.
constexpr auto kPause = std::chrono::seconds(1);

}  // namespace

bool MoveTurn::step(const Moves& moves, TimePoint now) {
  moves_ = moves;
  may_go_on_ = false;
  if (!moves.wanted && !moves.under_way) {
    turn_.release();
    turn_.withdraw();
    waits_since_ = kNever;
    next_look_ = kNever;
    return false;
  }
  next_look_ = after(now, kLookEvery);
  if (turn_.others_wait() && (turn_.is_held() || turn_.is_shared())) {
    if (turn_.is_held() && moves.under_way) {
      may_go_on_ = true;
      return false;
    }
    // The pause begins for all who move files when the last of them ends. No wish in it, or nobody
    // would begin to measure.
    turn_.release();
    turn_.withdraw();
    pause_end_ = after(now, kPause);
  }
  may_go_on_ = now >= pause_end_ && turn_.take();
  waits_since_ = may_go_on_ ? kNever : std::min(waits_since_, now);
  return may_go_on_;
}

}  // namespace mstune::coordinator
