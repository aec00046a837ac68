#include "common/visible.h"

#include <cstdint>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "common/utf8.h"

namespace mstune {
namespace {

TEST_CASE("visible: plain text of any language stays as it is, with its lines and tabs") {
  CHECK(visible("plain, \xe7\xbc\x96\xe8\xaf\x91\n\tsecond \xf0\x9f\x9a\x80\n") ==
        "plain, \xe7\xbc\x96\xe8\xaf\x91\n\tsecond \xf0\x9f\x9a\x80\n");
  CHECK(visible("") == "");
}

TEST_CASE("visible: nothing that a terminal obeys gets through") {
  CHECK(visible("\x1b]0;title\x07\x1b[2J") == "\\x1b]0;title\\x07\\x1b[2J");
  CHECK(visible(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(visible("\x7f\x08") == "\\x7f\\x08");
  CHECK(visible("\xc2\x9b"
                "31m") == "\\x9b31m");  // the control of one byte, as UTF-8
  CHECK(visible("\x9b"
                "31m") == "\\x9b31m");  // and as it is
  CHECK(visible("safe\xe2\x80\xae"
                "exe.txt") == "safe\\u202eexe.txt");  // turns what follows
  CHECK(visible("\xff\xe4\xb8") == "\\xff\\xe4\\xb8");
}

TEST_CASE("visible: of a line of progress what a terminal would show at last is left") {
  CHECK(visible("  1 %\r 50 %\r100 %\ndone\n") == "100 %\ndone\n");
  CHECK(visible("loading model\rready") == "readyng model");
  CHECK(visible("dos line\r\n") == "dos line\n");
  CHECK(visible("\xe7\xbc\x96\xe8\xaf\x91\ra") == "a\xe8\xaf\x91");
}

TEST_CASE("visible: what must stay on one line does") {
  CHECK(visible_line("a\nb\tc\rd") == "a\\x0ab\\x09c\\x0dd");
}

TEST_CASE("visible: long text is cut between characters, and that shows") {
  CHECK(visible("abcdef", 3) == "abc...");
  CHECK(visible("abc", 3) == "abc");
  CHECK(visible("ab\xe7\xbc\x96", 3) == "ab...");
  CHECK(visible_line("ab\xe7\xbc\x96"
                     "c",
                     5) == "ab\xe7\xbc\x96...");
  CHECK(visible(std::string(8, '\x80'), 3) == "\\x80\\x80\\x80...");
}

TEST_CASE("visible: whatever bytes come in, what comes out is UTF-8 without controls") {
  std::uint32_t state = 1;
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 24; ++i) {
      state = state * 1664525U + 1013904223U;
      text += static_cast<char>(state >> 24U);
    }
    for (const std::string& shown : {visible(text, 20), visible_line(text, 20)}) {
      CHECK(is_utf8(shown));
      CHECK(shown.find('\x1b') == std::string::npos);
      CHECK(shown.find('\r') == std::string::npos);
    }
  }
}

}  // namespace
}  // namespace mstune
