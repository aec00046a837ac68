// The keeper itself: what runs in the process between an agent and the program of a trial.
//
// A subreaper: an orphan below it becomes its child, whatever session, group or environment it
// took, so it has a child exactly as long as anybody of the trial is left. It runs in a fork
// without exec of a program with threads, so it allocates nothing and makes system calls only; it
// needs no /proc. Only kept_process.cpp needs this.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <type_traits>

#include "common/os/spawn.h"

namespace mstune::os {

// What the keeper tells. After the last one its end of the socket is closed: nobody is left.
struct KeeperNews {
  enum class What : int { started, exited };
  What what = What::started;
  int value = 0;  // started: the program's id, negative: errno; exited: its status as Exit has it
};
static_assert(std::is_trivially_copyable_v<KeeperNews>);

// What it is told, in one byte. The end of the socket means: end everybody, by SIGTERM first.
inline constexpr char kKeeperReap = 'r';  // the program's id may be given back: end with the last
inline constexpr char kKeeperKill = 'k';  // end everybody now

struct KeeperPlan {
  static constexpr std::size_t kHeldMax = 20;

  int control = -1;  // its end of a socket pair of SOCK_SEQPACKET
  // Stay open in it: locks that are to be held for as long as anybody is left.
  std::array<int, kHeldMax> held{};
  std::size_t held_count = 0;
};

// In the fork: starts the program and keeps what comes of it. All signals are blocked.
[[noreturn]] void keep(const KeeperPlan& plan, const Launch& launch);

}  // namespace mstune::os
