#include "common/utf8.h"

#include <cstddef>

namespace mstune {
namespace {

bool is_continuation(unsigned char byte) {
  return (byte & 0xC0U) == 0x80U;
}

// Bytes of the character that begins with these two; 0: none does. The second byte decides about
// long forms, surrogates and what is beyond the last character.
std::size_t length_of_character(unsigned char first, unsigned char second) {
  if (first < 0x80) {
    return 1;
  }
  if (first >= 0xC2 && first <= 0xDF) {
    return is_continuation(second) ? 2 : 0;
  }
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned char low = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned char high = first == 0xED ? 0x9F : 0xBF;
    return second >= low && second <= high ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned char low = first == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = first == 0xF4 ? 0x8F : 0xBF;
    return second >= low && second <= high ? 4 : 0;
  }
  return 0;
}

}  // namespace

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto at = [&](std::size_t i) {
      return i < bytes.size() ? static_cast<unsigned char>(bytes[i])
                              : static_cast<unsigned char>(0);
    };
    const std::size_t length = length_of_character(at(0), at(1));
    if (length == 0 || length > bytes.size()) {
      return false;
    }
    for (std::size_t i = 2; i < length; ++i) {
      if (!is_continuation(at(i))) {
        return false;
      }
    }
    bytes.remove_prefix(length);
  }
  return true;
}

}  // namespace mstune
