#include "common/os/close_range.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace mstune::os {

void close_from(int first, Closing closing) {
#ifdef SYS_close_range
  constexpr unsigned kCloseOnExec = 4;  // CLOSE_RANGE_CLOEXEC
  const unsigned flags = closing == Closing::on_exec ? kCloseOnExec : 0U;
  if (::syscall(SYS_close_range, static_cast<unsigned>(first), ~0U, flags) == 0) {
    return;
  }
#endif
  struct rlimit limit {};
  constexpr rlim_t kMost = 65536;
  const rlim_t end =
      ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? std::min(limit.rlim_cur, kMost) : kMost;
  for (int descriptor = first; descriptor < static_cast<int>(end); ++descriptor) {
    if (closing == Closing::on_exec) {
      ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    } else {
      ::close(descriptor);
    }
  }
}

}  // namespace mstune::os
