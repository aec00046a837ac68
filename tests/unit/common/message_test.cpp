#include "common/message.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "common/error.h"

namespace mstune {
namespace {

TEST_CASE("message: every kind of argument becomes its text, in its order") {
  const std::string owned = "owned";
  const std::uint16_t port = 18600;
  const auto made = message("a.kinds", "{} {} {} {} {} {}", owned, std::string_view("view"),
                            "literal", 'c', port, -7);
  CHECK(made.id == "a.kinds");
  CHECK(made.text == "owned view literal c 18600 -7");
  CHECK(made.arguments == std::vector<std::string>{"owned", "view", "literal", "c", "18600", "-7"});
  CHECK(made.inner.empty());
}

TEST_CASE("message: integers keep all their digits, floats as few as tell them apart") {
  CHECK(message("a", "{} {}", INT64_MIN, UINT64_MAX).text ==
        "-9223372036854775808 18446744073709551615");
  CHECK(message("a", "{}", kIntegerMax - kIntegerMin).text == "27670116110564327423");
  CHECK(message("a", "{} {}", 0.1, 1e300).text == "0.1 1e+300");
}

TEST_CASE("message: an argument that is a message keeps its place among the others") {
  const auto inner = message("a.inner", "it is {}", 3);
  const auto outer = message("a.outer", "{}: {}", "x", inner);
  CHECK(outer.text == "x: it is 3");
  REQUIRE(outer.inner.size() == 2);
  CHECK(outer.inner[0].id.empty());
  CHECK(outer.inner[1].id == "a.inner");
  CHECK(outer.inner[1].arguments == std::vector<std::string>{"3"});
}

TEST_CASE("message: braces stand for themselves when doubled, and in arguments as they are") {
  CHECK(message("a", "{{\"host\": {}}}", "{}").text == "{\"host\": {}}");
  CHECK(fill("{1} then {0}, {2}", {"a", "b"}) == "b then a, ?");
}

TEST_CASE("message: an error says what its message says, and of what kind it is") {
  const Error error = usage_error("a.wrong", "{} is wrong", "this");
  CHECK(error.kind() == ErrorKind::usage);
  CHECK(error.message().id == "a.wrong");
  CHECK(std::string_view(error.what()) == "this is wrong");
  CHECK(environment_error("a", "b").kind() == ErrorKind::environment);
  CHECK(protocol_error("a", "b").kind() == ErrorKind::protocol);
}

}  // namespace
}  // namespace mstune
