// All descriptors of this process from one on. Safe between fork and exec.
#pragma once

namespace mstune::os {

enum class Closing {
  now,
  on_exec,
};

// Closes them, or has exec close them. Where the kernel has no call for it (before Linux 5.9, for
// `on_exec` 5.11) those up to the limit, 65536 at the most.
void close_from(int first, Closing closing);

}  // namespace mstune::os
