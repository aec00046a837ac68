#include "tests/standin/plog/line_buffer.h"

#include <doctest/doctest.h>

namespace standin::plog {
namespace {

std::string taken(LineBuffer& buffer) {
  std::string chunk;
  buffer.swap_into(chunk);
  return chunk;
}

TEST_CASE("buffer: lines up to the capacity are kept, one byte more drops the oldest") {
  LineBuffer buffer(9);
  CHECK(buffer.push("one\n") == 0);
  CHECK(buffer.push("four\n") == 0);
  CHECK_FALSE(buffer.fits("\n"));
  CHECK(buffer.push("\n") == 1);
  CHECK(taken(buffer) == "four\n\n");
}

TEST_CASE("buffer: a long line drops as many whole lines as it needs") {
  LineBuffer buffer(9);
  buffer.push("a\n");
  buffer.push("b\n");
  buffer.push("c\n");
  CHECK(buffer.push("longer\n") == 2);
  CHECK(taken(buffer) == "c\nlonger\n");
}

TEST_CASE("buffer: a flood leaves the newest lines") {
  LineBuffer buffer(40);
  std::size_t dropped = 0;
  for (int number = 100; number < 1000; ++number) {
    dropped += buffer.push(std::to_string(number) + "\n");
  }
  CHECK(dropped == 890);
  CHECK(taken(buffer) == "990\n991\n992\n993\n994\n995\n996\n997\n998\n999\n");
}

TEST_CASE("buffer: it is empty once its lines were taken") {
  LineBuffer buffer(9);
  buffer.push("one\n");
  CHECK(taken(buffer) == "one\n");
  CHECK(buffer.empty());
  CHECK(taken(buffer).empty());
  buffer.push("two\n");
  buffer.clear();
  CHECK(buffer.empty());
  CHECK(buffer.fits("12345678\n"));
}

TEST_CASE("buffer: it is nearly full above three quarters") {
  LineBuffer buffer(8);
  buffer.push("12345\n");
  CHECK_FALSE(buffer.nearly_full());
  buffer.push("\n");
  CHECK(buffer.nearly_full());
}

}  // namespace
}  // namespace standin::plog
