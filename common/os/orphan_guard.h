// A process of its own that waits for this one to end, and does what must be done if nobody else
// can: the one thing that SIGKILL of this process leaves to others.
#pragma once

#include <sys/types.h>

#include <functional>

#include "common/os/descriptor.h"

namespace mstune::os {

class OrphanGuard {
 public:
  // Forks it, with nothing of this process open. `act` runs there when this process has ended in
  // whatever way and the guard was not dismissed. Call it while this process has one thread. Where
  // the system refuses, there is no guard.
  explicit OrphanGuard(const std::function<void()>& act);
  // Not dismissed: it acts, and nobody waits for it.
  ~OrphanGuard();
  OrphanGuard(const OrphanGuard&) = delete;
  OrphanGuard& operator=(const OrphanGuard&) = delete;

  // All is well: it ends without acting, and is waited for.
  void dismiss();

 private:
  UniqueFd lifeline_;  // the guard reads to its end
  pid_t id_ = -1;
};

}  // namespace mstune::os
