// Everything that a program started, however it tried to leave: found in /proc and ended.
//
// A process belongs to a tree when it carries the tree's cookie in its environment, is in the
// session or group of its leader, descends from a member, or was seen to belong before. Several
// trees can live below one agent; the agent is their subreaper, so that no orphan leaves its sight.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/os/tree_ending.h"
#include "common/time.h"

namespace mstune::os {

// Orphans below this process become its children instead of init's. Call it once, early.
void become_subreaper();

// Ends the zombies that were re-parented to this process; those of Process objects are kept.
// Cheap when there are none. Call it at SIGCHLD.
void reap_orphans();

struct TreeIdentity {
  pid_t leader = 0;    // 0: the leader is gone, the cookie alone tells
  std::string cookie;  // "NAME=value", given to the leader in its environment; unique to the tree
  std::vector<ProcessKey> seen;  // members that an earlier look found
};

// One look at /proc: the living members, without zombies and without this process. Remembers them
// in `tree.seen`, so that one which drops its environment and its parents later is still known:
// worth a call every few seconds while the program runs.
std::vector<ProcessInfo> find_tree(TreeIdentity& tree);

// Children of this process that nobody accounts for: re-parented here, no Process object, alive.
// With no tree left alive they are strays of one that is gone.
std::vector<ProcessInfo> find_strays();

// True while the process is there and no zombie. Without /proc any process with its number counts.
bool is_running(const ProcessKey& process);

// Sends a signal to exactly this process: never to another one that got its number since.
// False when it is gone or belongs to somebody else.
bool signal_process(const ProcessKey& process, int number);

// Ends a tree step by step, without waiting: the loop calls step() at deadline(), and once at the
// beginning. Needs the leader unreaped (then its group cannot be somebody else's) or 0.
class TreeEnder {
 public:
  TreeEnder(TreeIdentity tree, EndingLimits limits);

  // Looks, signals, and says how it stands.
  EndingState step(TimePoint now);

  [[nodiscard]] TimePoint deadline() const { return ending_.deadline(); }

  // Who is left; after `stuck` these could not be killed.
  [[nodiscard]] const std::vector<ProcessInfo>& left() const { return left_; }

 private:
  TreeIdentity tree_;
  TreeEnding ending_;
  std::vector<ProcessInfo> left_;
};

}  // namespace mstune::os
