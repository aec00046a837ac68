#include "agent/refusal_log.h"

#include <fmt/format.h>

namespace mstune::agent {

std::optional<std::string> RefusalLog::refused(const std::string& address, const std::string& key,
                                               TimePoint now) {
  constexpr std::uint64_t kLinesEachMinute = 10;
  if (now >= minute_ends_) {
    minute_ends_ = after(now, std::chrono::minutes(1));
    lines_ = 0;
  }
  if (lines_ >= kLinesEachMinute) {
    ++silent_;
    return std::nullopt;
  }
  ++lines_;
  std::string line = fmt::format("refused a client at {}: its key {} is not authorized",
                                 address.empty() ? "a local socket" : address, key);
  if (silent_ > 0) {
    line += fmt::format(" ({} more were refused in silence)", silent_);
    silent_ = 0;
  }
  return line;
}

}  // namespace mstune::agent
