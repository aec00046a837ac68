// The character sets of terminals, and text in them. Everything inside is UTF-8; this is for the
// way out.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mstune {

enum class Charset { utf8, gb18030, gbk, gb2312, latin1, ascii };

// Of the locale that LC_ALL, LC_CTYPE or LANG names, the first that is set, by its name alone:
// "zh_CN.GBK", "zh_CN" (GB2312), "en_US" (Latin-1). Without one, or in C and POSIX, it is UTF-8:
// these say nothing of the terminal. A set that is not known is ASCII.
Charset charset_of(std::span<const std::string> environment);

// Text that comes in pieces, which may end in the middle of a character.
class CharsetWriter {
 public:
  // `is_json`: characters that are not ASCII are escaped, which programs read in every set; such
  // are in JSON's strings alone. UTF-8 is left as it is.
  explicit CharsetWriter(Charset charset, bool is_json = false)
      : charset_(charset), is_json_(is_json) {}

  // The piece in the character set; what it lacks, and bytes that are no UTF-8, become '?'.
  std::string convert(std::string_view piece);

 private:
  void put(char32_t point, std::string& out) const;

  Charset charset_;
  bool is_json_;
  std::string begun_;  // bytes of a character that is not whole
};

}  // namespace mstune
