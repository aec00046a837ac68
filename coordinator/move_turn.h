// When this coordinator may build and send on its machine, where others may be measuring.
//
// It looks at the locks of a directory, which a test has of its own, and gets the time. One build,
// or the uploads that have begun, are not broken off when somebody wants to measure; nothing more
// begins then, until the measuring has had its turn.
#pragma once

#include <filesystem>

#include "common/os/machine_turn.h"
#include "common/time.h"
#include "coordinator/campaign_events.h"

namespace mstune::coordinator {

class MoveTurn {
 public:
  explicit MoveTurn(const std::filesystem::path& directory)
      : turn_(os::Activity::moving, directory) {}

  // Whether a step is worth its system calls: there is news, or it is time to look again.
  [[nodiscard]] bool is_due(const Moves& moves, TimePoint now) const {
    return moves != moves_ || now >= next_look_;
  }
  // Whether something more may begin.
  bool step(const Moves& moves, TimePoint now);

  // Whether what has begun may go on, after a break as well.
  [[nodiscard]] bool may_go_on() const { return may_go_on_; }

  // A step is wanted then at the latest.
  [[nodiscard]] TimePoint deadline() const { return next_look_; }

  [[nodiscard]] bool works() const { return turn_.works(); }

  // So long has it been waited for the turn; zero when it is not waited for.
  [[nodiscard]] Duration waited(TimePoint now) const {
    return waits_since_ == kNever ? Duration::zero() : now - waits_since_;
  }

 private:
  os::MachineTurn turn_;
  Moves moves_;  // as of the last step
  TimePoint next_look_ = kNever;
  TimePoint pause_end_ = TimePoint::min();
  TimePoint waits_since_ = kNever;
  bool may_go_on_ = false;
};

}  // namespace mstune::coordinator
