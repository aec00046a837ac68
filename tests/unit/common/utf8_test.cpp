#include "common/utf8.h"

#include <doctest/doctest.h>

namespace mstune {
namespace {

TEST_CASE("utf8: text of every length of character is UTF-8, to the first and last of each") {
  for (const char* text :
       {"", "plain\n\x7f", "\xc2\x80\xdf\xbf", "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf",
        "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\xe7\xbc\x96\xe8\xaf\x91"}) {
    CHECK(is_utf8(text));
  }
  CHECK(is_utf8({"\0", 1}));
}

TEST_CASE("utf8: cut, long, surrogate, too large and lone bytes are not") {
  for (const char* text :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "a\xc2", "\xc2z", "\xe0\x9f\xbf",
        "\xe4\xb8", "\xe4\xb8z", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf0\x9f\x92",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xfe"}) {
    CHECK_FALSE(is_utf8(text));
  }
}

}  // namespace
}  // namespace mstune
