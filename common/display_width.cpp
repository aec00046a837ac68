#include "common/display_width.h"

#include <algorithm>
#include <array>

namespace mstune {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
};

// A byte that begins no whole character is one of its own.
Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t bytes = lead < 0x80   ? 1
                            : lead < 0xC0 ? 0
                            : lead < 0xE0 ? 2
                            : lead < 0xF0 ? 3
                                          : 4;
  if (bytes < 2 || bytes > text.size() || lead > 0xF4) {
    return {lead, 1};
  }
  char32_t code = lead & (0x7FU >> bytes);
  for (std::size_t at = 1; at < bytes; ++at) {
    const auto next = static_cast<unsigned char>(text[at]);
    if ((next & 0xC0U) != 0x80U) {
      return {lead, 1};
    }
    code = (code << 6U) | (next & 0x3FU);
  }
  return {code, bytes};
}

struct Range {
  char32_t first;
  char32_t last;
};

bool within(char32_t code, const Range* begin, const Range* end) {
  return std::any_of(
      begin, end, [code](const Range& range) { return code >= range.first && code <= range.last; });
}

std::size_t width_of(char32_t code) {
  constexpr std::array<Range, 4> kNone{
      {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};
  // Hangul, CJK with its punctuation and compatibility forms, full-width forms, emoji, and the
  // planes that hold ideographs only.
  constexpr std::array<Range, 9> kWide{{{0x1100, 0x115F},
                                        {0x2E80, 0x303E},
                                        {0x3041, 0xA4CF},
                                        {0xAC00, 0xD7A3},
                                        {0xF900, 0xFAFF},
                                        {0xFE30, 0xFE6F},
                                        {0xFF00, 0xFF60},
                                        {0x1F300, 0x1FAFF},
                                        {0x20000, 0x3FFFD}}};
  if (within(code, kNone.data(), kNone.data() + kNone.size())) {
    return 0;
  }
  return within(code, kWide.data(), kWide.data() + kWide.size()) ? 2 : 1;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    width += width_of(character.code);
    text.remove_prefix(character.bytes);
  }
  return width;
}

std::string padded_right(std::string_view text, std::size_t width) {
  const std::size_t has = display_width(text);
  return std::string(text) + std::string(has < width ? width - has : 0, ' ');
}

std::string padded_left(std::string_view text, std::size_t width) {
  const std::size_t has = display_width(text);
  return std::string(has < width ? width - has : 0, ' ') + std::string(text);
}

std::string_view cut_to_width(std::string_view text, std::size_t width) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const Character character = first_character(text.substr(bytes));
    const std::size_t takes = width_of(character.code);
    if (takes > width) {
      break;
    }
    width -= takes;
    bytes += character.bytes;
  }
  return text.substr(0, bytes);
}

}  // namespace mstune
