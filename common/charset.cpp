#include "common/charset.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace mstune {

// Made when the project is built: scripts/cmake/gb18030_table.sh.
extern const std::array<std::uint32_t, 65406> kGb18030;

namespace {

constexpr char kUnknown = '?';
constexpr char32_t kFirstOfTable = 0x80;
constexpr char32_t kFirstBeyondPlane = 0x10000;

std::string_view locale_in(std::span<const std::string> environment) {
  for (const std::string_view variable : {"LC_ALL=", "LC_CTYPE=", "LANG="}) {
    for (const std::string_view entry : environment) {
      if (entry.starts_with(variable) && entry.size() > variable.size()) {
        return entry.substr(variable.size());
      }
    }
  }
  return {};
}

// "GB18030", "gb-18030" and "Gb_18030" are one name.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return plain;
}

// Of the languages of Latin-1's first users; glibc gives them that set where none is named.
bool is_of_latin1(std::string_view language) {
  constexpr std::array<std::string_view, 12> kLanguages{"en", "de", "fr", "es", "it", "pt",
                                                        "nl", "sv", "da", "nb", "fi", "is"};
  return std::find(kLanguages.begin(), kLanguages.end(), language) != kLanguages.end();
}

// The 1-byte unit that begins a character of so many bytes; 0: none does.
std::size_t length_of(unsigned char first) {
  if (first < 0x80) {
    return 1;
  }
  if (first >= 0xc2 && first < 0xe0) {
    return 2;
  }
  if (first >= 0xe0 && first < 0xf0) {
    return 3;
  }
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

char32_t point_of(std::string_view character) {
  constexpr std::array<unsigned, 5> kFirstMask{0, 0x7f, 0x1f, 0x0f, 0x07};
  char32_t point = static_cast<unsigned char>(character.front()) & kFirstMask[character.size()];
  for (const char byte : character.substr(1)) {
    point = (point << 6U) | (static_cast<unsigned char>(byte) & 0x3fU);
  }
  return point;
}

// The rest of Unicode stands in its order behind 90 30 81 30.
std::uint32_t beyond_plane(char32_t point) {
  std::uint32_t number = point - kFirstBeyondPlane;
  const std::uint32_t fourth = 0x30 + number % 10;
  number /= 10;
  const std::uint32_t third = 0x81 + number % 126;
  number /= 126;
  const std::uint32_t second = 0x30 + number % 10;
  return ((0x90 + number / 10) << 24U) | (second << 16U) | (third << 8U) | fourth;
}

std::uint32_t gb18030_code(char32_t point) {
  if (point >= kFirstBeyondPlane) {
    return beyond_plane(point);
  }
  const std::size_t at = point - kFirstOfTable;
  return at < kGb18030.size() ? kGb18030[at] : 0;
}

// As JSON writes it: in units of UTF-16.
std::string escaped(char32_t point) {
  if (point < kFirstBeyondPlane) {
    return fmt::format("\\u{:04x}", static_cast<std::uint32_t>(point));
  }
  const std::uint32_t offset = point - kFirstBeyondPlane;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (offset >> 10U), 0xdc00 + (offset & 0x3ffU));
}

bool has(Charset charset, std::uint32_t code) {
  if (charset == Charset::gb18030) {
    return code != 0;
  }
  const std::uint32_t lead = code >> 8U;
  const std::uint32_t trail = code & 0xffU;
  const bool is_pair = code != 0 && code <= 0xffff;
  return is_pair && (charset == Charset::gbk || (lead >= 0xa1 && lead <= 0xf7 && trail >= 0xa1));
}

}  // namespace

Charset charset_of(std::span<const std::string> environment) {
  std::string_view locale = locale_in(environment);
  locale = locale.substr(0, locale.find('@'));
  if (locale.empty() || locale == "C" || locale == "POSIX") {
    return Charset::utf8;
  }
  const auto dot = locale.find('.');
  const std::string_view language = locale.substr(0, locale.find_first_of("_."));
  if (dot == std::string_view::npos) {
    const bool is_simplified = locale == "zh_CN" || locale == "zh_SG" || locale == "zh";
    if (is_simplified) {
      return Charset::gb2312;
    }
    return is_of_latin1(language) ? Charset::latin1 : Charset::ascii;
  }
  const std::string name = plain_name(locale.substr(dot + 1));
  constexpr std::array<std::pair<std::string_view, Charset>, 10> kNames{
      {{"utf8", Charset::utf8},
       {"gb18030", Charset::gb18030},
       {"gbk", Charset::gbk},
       {"cp936", Charset::gbk},
       {"gb2312", Charset::gb2312},
       {"euccn", Charset::gb2312},
       {"iso88591", Charset::latin1},
       {"latin1", Charset::latin1},
       {"cp1252", Charset::latin1},
       {"iso885915", Charset::latin1}}};
  const auto* const found = std::find_if(kNames.begin(), kNames.end(),
                                         [&](const auto& known) { return known.first == name; });
  return found == kNames.end() ? Charset::ascii : found->second;
}

std::string CharsetWriter::convert(std::string_view piece) {
  if (charset_ == Charset::utf8) {
    return std::string(piece);
  }
  std::string out;
  for (const char byte : piece) {
    if (!begun_.empty() && !is_continuation(byte)) {
      out += kUnknown;  // it was broken off
      begun_.clear();
    }
    begun_ += byte;
    const std::size_t length = length_of(static_cast<unsigned char>(begun_.front()));
    if (length == 0) {
      out += kUnknown;
      begun_.clear();
    } else if (begun_.size() == length) {
      put(point_of(begun_), out);
      begun_.clear();
    }
  }
  return out;
}

void CharsetWriter::put(char32_t point, std::string& out) const {
  if (point < kFirstOfTable) {
    out += static_cast<char>(point);
    return;
  }
  if (is_json_) {
    out += escaped(point);
    return;
  }
  if (charset_ == Charset::latin1 || charset_ == Charset::ascii) {
    out += charset_ == Charset::latin1 && point < 0x100 ? static_cast<char>(point) : kUnknown;
    return;
  }
  const std::uint32_t code = gb18030_code(point);
  if (!has(charset_, code)) {
    out += kUnknown;
    return;
  }
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    if (code >> shift != 0) {
      out += static_cast<char>((code >> shift) & 0xffU);
    }
  }
}

}  // namespace mstune
