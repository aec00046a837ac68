#include "common/os/limits.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <optional>

namespace mstune::os {
namespace {

std::optional<rlimit>& limit_before() {
  static std::optional<rlimit> limit;
  return limit;
}

}  // namespace

std::uint64_t raise_descriptor_limit() {
  // Far more than is needed: an unlimited number makes programs slow that close all of them.
  constexpr rlim_t kEnough = 65536;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return 0;
  }
  const rlim_t wanted = std::min(limit.rlim_max, kEnough);
  if (limit.rlim_cur < wanted) {
    const rlimit before = limit;
    limit.rlim_cur = wanted;
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
      return before.rlim_cur;
    }
    limit_before() = before;
  }
  return limit.rlim_cur;
}

void restore_descriptor_limit() {
  if (const auto& limit = limit_before()) {
    ::setrlimit(RLIMIT_NOFILE, &*limit);
  }
}

bool is_shortage(int error_number) {
  return error_number == EMFILE || error_number == ENFILE || error_number == ENOMEM;
}

}  // namespace mstune::os
