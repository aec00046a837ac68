#include "common/message.h"

#include <array>
#include <cmath>

namespace mstune {

std::string duration_text(double seconds) {
  if (seconds < 1.0) {
    return fmt::format("{} ms", std::llround(seconds * 1000.0));
  }
  if (seconds < 120.0) {
    return fmt::format("{:.3g} s", seconds);
  }
  const auto minutes = std::llround(seconds / 60.0);
  if (minutes < 120) {
    return fmt::format("{} min", minutes);
  }
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string size_text(unsigned long long bytes) {
  constexpr std::array<const char*, 4> kUnits{"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) {
    return fmt::format("{} B", bytes);
  }
  double value = static_cast<double>(bytes) / 1024.0;
  std::size_t unit = 0;
  while (value >= 1024.0 && unit + 1 < kUnits.size()) {
    value /= 1024.0;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits.at(unit));
}

}  // namespace mstune
