#include "agent/half_open.h"

#include <string>

#include <doctest/doctest.h>

namespace mstune::agent {
namespace {

TEST_CASE("half open: beyond the number the oldest silent connections are to go") {
  HalfOpen half_open(2);
  for (int descriptor = 10; descriptor < 14; ++descriptor) {
    half_open.accepted({descriptor, "p" + std::to_string(descriptor)});
  }
  const auto too_many = half_open.take_too_many();
  REQUIRE(too_many.size() == 2);
  CHECK(too_many[0].descriptor == 10);
  CHECK(too_many[0].peer == "p10");
  CHECK(too_many[1].descriptor == 11);
  CHECK(half_open.take_too_many().empty());
  CHECK(half_open.size() == 2);
}

TEST_CASE(
    "half open: who has spoken or gone does not count, and a number that comes again is new") {
  HalfOpen half_open(1);
  half_open.accepted({10, "a"});
  half_open.heard(10);
  half_open.accepted({11, "b"});
  half_open.closed(11);
  half_open.closed(99);
  CHECK(half_open.size() == 0);
  half_open.accepted({10, "c"});
  half_open.accepted({11, "d"});
  half_open.accepted({10, "e"});
  const auto too_many = half_open.take_too_many();
  REQUIRE(too_many.size() == 1);
  CHECK(too_many[0].peer == "d");
}

}  // namespace
}  // namespace mstune::agent
