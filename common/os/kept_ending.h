// Ends whatever a KeptProcess keeps, step by step and without waiting: SIGTERM to everybody who can
// be seen, SIGKILL by the keeper after a grace time, and no end before the keeper has nobody left.
#pragma once

#include <optional>
#include <vector>

#include "common/os/kept_process.h"
#include "common/os/tree_ending.h"
#include "common/os/trial_cgroup.h"
#include "common/time.h"

namespace mstune::os {

class KeptEnder {
 public:
  // Both must outlive it; `cgroup` may be null.
  KeptEnder(KeptProcess& process, const TrialCgroup* cgroup, EndingLimits limits)
      : process_(process), cgroup_(cgroup), ending_(limits) {}

  // Looks, signals, and says how it stands. Call it at deadline() and when there is news.
  EndingState step(TimePoint now);
  [[nodiscard]] TimePoint deadline() const { return deadline_; }

  // As the last look found them; empty where they cannot be seen.
  [[nodiscard]] const std::vector<ProcessInfo>& left() const { return left_; }
  // The keeper's; its process is there as long as anybody is.
  [[nodiscard]] ProcessKey keeper() const;
  // Those who were there although the program itself had ended, as the first look found them.
  [[nodiscard]] const std::vector<ProcessInfo>& left_behind() const { return left_behind_; }

 private:
  [[nodiscard]] std::optional<std::vector<ProcessInfo>> look() const;
  [[nodiscard]] bool is_over() const;
  EndingState end_unseen(TimePoint now);
  EndingState signal(const std::vector<ProcessInfo>& alive, TimePoint now);

  KeptProcess& process_;
  const TrialCgroup* cgroup_;
  TreeEnding ending_;
  std::vector<ProcessInfo> left_;
  std::vector<ProcessInfo> left_behind_;
  bool looked_ = false;
  bool term_sent_ = false;           // to the group, where nobody can be seen
  std::optional<TimePoint> let_go_;  // nobody was seen then
  TimePoint deadline_ = TimePoint::min();
};

}  // namespace mstune::os
