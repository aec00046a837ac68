// Which refused callers are worth a line in the agent's log: all at first, then a count, so that
// nobody fills a disk by knocking. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/time.h"

namespace mstune::agent {

class RefusalLog {
 public:
  // A line to be printed, or nothing: at most 10 in each minute.
  std::optional<std::string> refused(const std::string& address, const std::string& key,
                                     TimePoint now);

 private:
  TimePoint minute_ends_ = TimePoint::min();
  std::uint64_t lines_ = 0;
  std::uint64_t silent_ = 0;
};

}  // namespace mstune::agent
