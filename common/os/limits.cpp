#include "common/os/limits.h"

#include <sys/resource.h>

#include <algorithm>

namespace mstune::os {

std::uint64_t raise_descriptor_limit() {
  // Far more than is needed: an unlimited number makes programs slow that close all of them.
  constexpr rlim_t kEnough = 65536;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return 0;
  }
  const rlim_t wanted = std::min(limit.rlim_max, kEnough);
  if (limit.rlim_cur < wanted) {
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = wanted;
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
      return before;
    }
  }
  return limit.rlim_cur;
}

}  // namespace mstune::os
