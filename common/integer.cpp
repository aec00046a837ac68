#include "common/integer.h"

namespace mstune {

ParsedInteger parse_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) {
    text.remove_prefix(1);
  }
  if (text.empty()) {
    return {0, IntegerFault::not_a_number};
  }
  Integer magnitude = 0;
  bool beyond = false;
  while (!text.empty()) {
    // Eighteen digits fit into 64 bits, where arithmetic is cheap; most numbers are shorter.
    const std::string_view part = text.substr(0, 18);
    std::uint64_t digits = 0;
    Integer scale = 1;
    for (const char digit : part) {
      if (digit < '0' || digit > '9') {
        return {0, IntegerFault::not_a_number};
      }
      digits = digits * 10 + static_cast<std::uint64_t>(digit - '0');
    }
    if (magnitude != 0) {
      for (std::size_t place = 0; place < part.size(); ++place) {
        scale *= 10;
      }
    }
    magnitude = magnitude * scale + digits;
    // Held at the limit, so that no length of text can overflow 128 bits.
    if (magnitude > kIntegerMax) {
      beyond = true;
      magnitude = kIntegerMax;
    }
    text.remove_prefix(part.size());
  }
  const Integer value = negative ? -magnitude : magnitude;
  if (beyond || value < kIntegerMin) {
    return {0, IntegerFault::beyond_64_bits};
  }
  return {value, IntegerFault::none};
}

}  // namespace mstune
