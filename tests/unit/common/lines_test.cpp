#include "common/lines.h"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace mstune {
namespace {

using Lines = std::vector<std::pair<std::uint64_t, std::string>>;

LineSink collect(Lines& lines) {
  return [&lines](std::uint64_t number, std::string_view line) {
    lines.emplace_back(number, std::string(line));
  };
}

TEST_CASE("lines: any cut of the bytes gives the same lines") {
  const std::string text = "one\n\nthree\r\nfour";
  const Lines expected{{1, "one"}, {2, ""}, {3, "three\r"}, {4, "four"}};
  for (std::size_t first = 0; first <= text.size(); ++first) {
    for (std::size_t second = first; second <= text.size(); ++second) {
      Lines lines;
      LineSplitter splitter;
      splitter.feed(text.substr(0, first), collect(lines));
      splitter.feed(text.substr(first, second - first), collect(lines));
      splitter.feed(text.substr(second), collect(lines));
      CHECK(lines.size() == 3);
      splitter.finish(collect(lines));
      CHECK(lines == expected);
    }
  }
}

TEST_CASE("lines: a line beyond the limit is cut and the next one is whole") {
  Lines lines;
  LineSplitter splitter(4);
  splitter.feed("123456", collect(lines));
  splitter.feed("789\nab\n", collect(lines));
  splitter.feed("abcdef\n", collect(lines));
  CHECK(lines == Lines{{1, "1234"}, {2, "ab"}, {3, "abcd"}});
}

TEST_CASE("lines: a finished splitter delivers its tail once") {
  Lines lines;
  LineSplitter splitter;
  splitter.feed("a\n", collect(lines));
  splitter.finish(collect(lines));
  CHECK(lines == Lines{{1, "a"}});
  splitter.feed("b", collect(lines));
  splitter.finish(collect(lines));
  splitter.finish(collect(lines));
  CHECK(lines == Lines{{1, "a"}, {2, "b"}});
}

}  // namespace
}  // namespace mstune
