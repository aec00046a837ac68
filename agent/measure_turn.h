// The machine's turn (common/os/machine_turn.h) for this agent's trials: kept from the moment at
// which one gets its devices until its program has ended, but not while somebody else uses them.
#pragma once

#include <filesystem>
#include <set>

#include "common/os/machine_turn.h"
#include "protocol/messages.h"

namespace mstune::agent {

class MeasureTurn {
 public:
  explicit MeasureTurn(const std::filesystem::path& directory)
      : turn_(os::Activity::measuring, directory) {}

  // Whether a trial may begin; it is to be kept for one then.
  bool take() { return turn_.take(); }
  // For a trial for which it is not kept, and that could begin now.
  bool take_for(const protocol::TrialKey& key) {
    if (trials_.contains(key)) {
      return true;
    }
    if (!turn_.take()) {
      waiting_.insert(key);
      return false;
    }
    keep_for(key);
    return true;
  }
  void keep_for(const protocol::TrialKey& key) {
    waiting_.erase(key);
    trials_.insert(key);
  }
  // Those for which it was refused.
  [[nodiscard]] const std::set<protocol::TrialKey>& waiting() const { return waiting_; }
  // It does not measure any more, or not yet.
  void let_go(const protocol::TrialKey& key) {
    waiting_.erase(key);
    trials_.erase(key);
  }
  // Gives back what nobody needs. `others_wait`: there are trials that have no devices yet.
  void settle(bool others_wait) {
    if (trials_.empty()) {
      turn_.release();
    }
    if (!others_wait && waiting_.empty()) {
      turn_.withdraw();
    }
  }

 private:
  os::MachineTurn turn_;
  std::set<protocol::TrialKey> trials_;
  std::set<protocol::TrialKey> waiting_;
};

}  // namespace mstune::agent
