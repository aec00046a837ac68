#include "common/visible.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "common/utf8.h"

namespace mstune {
namespace {

// The first character of `text`: its bytes, or one byte that is part of none.
std::string_view next_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  const std::string_view character = text.substr(0, length);
  return is_utf8(character) ? character : text.substr(0, 1);
}

std::uint32_t code_point(std::string_view character) {
  std::uint32_t point = static_cast<unsigned char>(character.front());
  if (character.size() > 1) {
    point &= 0xFFU >> (character.size() + 1);
    for (const char next : character.substr(1)) {
      point = point << 6U | (static_cast<unsigned char>(next) & 0x3FU);
    }
  }
  return point;
}

// Marks and overrides of direction, and ends of lines beside the usual ones.
bool turns_text(std::uint32_t point) {
  return (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) ||
         point == 0x200E || point == 0x200F || point == 0x061C || point == 0x2028 ||
         point == 0x2029;
}

bool is_control_point(std::uint32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0);
}

std::string shown(std::string_view character, bool keep_blanks) {
  const std::uint32_t point = code_point(character);
  const bool is_blank = character == "\n" || character == "\t";
  const bool is_lone_byte = character.size() == 1 && point >= 0x80;
  if ((is_blank && keep_blanks) ||
      (!is_lone_byte && !is_control_point(point) && !turns_text(point))) {
    return std::string(character);
  }
  return is_lone_byte || point < 0x100 ? fmt::format("\\x{:02x}", point)
                                       : fmt::format("\\u{:04x}", point);
}

using Cells = std::vector<std::string_view>;  // characters of a line

// A terminal goes back to the beginning and writes over what stands there.
Cells last_state(std::string_view line) {
  Cells cells;
  std::size_t at = 0;
  while (!line.empty()) {
    const std::string_view character = next_character(line);
    line.remove_prefix(character.size());
    if (character == "\r") {
      at = 0;
    } else if (at < cells.size()) {
      cells[at++] = character;
    } else {
      cells.push_back(character);
      ++at;
    }
  }
  return cells;
}

std::string_view cut(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) {
    return text;
  }
  // Not within a character, whose further bytes begin with the bits 10.
  std::size_t begin = bytes_max;
  while (begin > 0 && bytes_max - begin < 3 &&
         (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U) {
    --begin;
  }
  const bool within = next_character(text.substr(begin)).size() > bytes_max - begin;
  return text.substr(0, begin < bytes_max && within ? begin : bytes_max);
}

}  // namespace

std::string visible(std::string_view text, std::size_t bytes_max) {
  const std::string_view kept = cut(text, bytes_max);
  std::string result;
  for (std::string_view rest = kept; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const bool ends = line.size() < rest.size();
    for (const std::string_view character : last_state(line)) {
      result += shown(character, true);
    }
    result += ends ? "\n" : "";
    rest.remove_prefix(line.size() + (ends ? 1 : 0));
  }
  return kept.size() < text.size() ? result + "..." : result;
}

std::string visible_line(std::string_view text, std::size_t bytes_max) {
  std::string result;
  const std::string_view kept = cut(text, bytes_max);
  for (std::string_view rest = kept; !rest.empty();) {
    const std::string_view character = next_character(rest);
    result += shown(character, false);
    rest.remove_prefix(character.size());
  }
  return kept.size() < text.size() ? result + "..." : result;
}

}  // namespace mstune
