// How a process tree is ended: the decisions only. Looks at lists of processes and the time that
// it is given; process_tree.h makes the lists and sends the signals.
//
// SIGTERM to everybody, again to whoever turns up later; after a grace time SIGKILL, at every look
// until nobody is left; after a second time what is still there counts as stuck.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/time.h"

namespace mstune::os {

// A number alone is used again; with the start time it is one process for ever.
struct ProcessKey {
  pid_t id = 0;
  std::uint64_t start_ticks = 0;  // since boot, field 22 of /proc/PID/stat

  friend auto operator<=>(const ProcessKey&, const ProcessKey&) = default;
};

struct ProcessInfo {
  ProcessKey key;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  char state = '?';     // as ps shows it: R S D T Z …
  std::string name;     // at most 15 characters, as the kernel keeps it
  bool marked = false;  // carries the cookie that was asked for
};

// The members of a tree among all processes: marked, in the leader's session or group, seen
// before, or below a member. The leader counts; zombies and `self` do not, though members are
// found through zombies.
std::vector<ProcessInfo> select_tree(const std::vector<ProcessInfo>& all, pid_t leader,
                                     const std::vector<ProcessKey>& seen, pid_t self);

// Those that descend from `root`, without it.
std::vector<ProcessInfo> select_below(const std::vector<ProcessInfo>& all, pid_t root);

// Reads a line of /proc/PID/stat; false when it is not one. A name may hold spaces and brackets.
bool parse_stat(std::string_view text, ProcessInfo& result);

struct EndingLimits {
  Duration term_grace = std::chrono::seconds(5);   // from SIGTERM to SIGKILL; 0: SIGKILL at once
  Duration kill_grace = std::chrono::seconds(10);  // from SIGKILL to calling it stuck
  Duration look_every = std::chrono::milliseconds(20);
};

enum class EndingState { going_on, gone, stuck };

struct EndingStep {
  EndingState state = EndingState::going_on;
  int signal = 0;                   // 0: none
  bool to_group = false;            // the leader's group, too
  std::vector<ProcessKey> targets;  // whom to send it to, one by one
};

class TreeEnding {
 public:
  explicit TreeEnding(EndingLimits limits) : limits_(limits) {}

  // `alive` are the members found now. The first call starts the clock.
  EndingStep handle(const std::vector<ProcessInfo>& alive, TimePoint now);

  // Look again then; kNever once it is over.
  [[nodiscard]] TimePoint deadline() const { return deadline_; }

 private:
  EndingLimits limits_;
  TimePoint kill_at_ = kNever;  // kNever: not begun
  TimePoint stuck_at_ = kNever;
  TimePoint deadline_ = TimePoint::min();
  std::vector<ProcessKey> asked_;  // got SIGTERM
};

}  // namespace mstune::os
