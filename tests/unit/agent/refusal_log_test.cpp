#include "agent/refusal_log.h"

#include <doctest/doctest.h>

namespace mstune::agent {
namespace {

TEST_CASE("refusal log: ten lines a minute, then a count of the others") {
  RefusalLog log;
  const TimePoint start{std::chrono::hours(1)};
  for (int i = 0; i < 10; ++i) {
    const auto line = log.refused("10.0.0.7", "abcd", start);
    REQUIRE(line);
    CHECK(line->find("10.0.0.7") != std::string::npos);
    CHECK(line->find("abcd") != std::string::npos);
  }
  CHECK_FALSE(log.refused("10.0.0.7", "abcd", start));
  CHECK_FALSE(log.refused("10.0.0.7", "abcd", start + std::chrono::seconds(59)));
  const auto line = log.refused("10.0.0.8", "ef01", start + std::chrono::seconds(60));
  REQUIRE(line);
  CHECK(line->find("(2 more") != std::string::npos);
}

}  // namespace
}  // namespace mstune::agent
