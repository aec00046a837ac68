#include "tests/standin/compiler/mode.h"

#include <string>

#include <doctest/doctest.h>

#include "tests/standin/common/ge_error.h"

using standin::effective_mode;
using standin::GeError;
using standin::parse_mode;
using standin::Strategy;

namespace {

std::string code_of(const char* text, bool from_attribute) {
  try {
    parse_mode(text, from_attribute);
  } catch (const GeError& error) {
    return error.code();
  }
  return "";
}

}  // namespace

TEST_CASE("mode: a strategy takes 1 to 64 streams in decimal digits") {
  CHECK(parse_mode("LoadBalance:1", false).streams == 1);
  CHECK(parse_mode("MainStream:64", false).streams == 64);
  CHECK(parse_mode("WeightedLoadBalance:007", false).streams == 7);
  for (const char* text :
       {"LoadBalance:0", "LoadBalance:65", "LoadBalance:", "LoadBalance:+4", "LoadBalance:4:4",
        "LoadBalance", "Balance:4", "cv:2", "LoadBalance:99999999999999999999"}) {
    CAPTURE(text);
    CHECK(code_of(text, true) == "E10001");
  }
}

TEST_CASE("mode: default is for the attribute only") {
  CHECK(parse_mode("default", true).strategy == Strategy::single_default);
  CHECK(code_of("default", false) == "E10001");
}

TEST_CASE("mode: the attribute beats the option, and an empty one leaves it") {
  CHECK(effective_mode("cv", "LoadBalance:4", false).strategy == Strategy::cv);
  CHECK(effective_mode("", "LoadBalance:4", false).strategy == Strategy::load_balance);
  CHECK(effective_mode("", "", true).strategy == Strategy::off);
}

TEST_CASE("mode: a single stream conflicts with every mode") {
  for (const char* text : {"default", "cv", "MainStream:1"}) {
    CHECK_THROWS_AS(effective_mode(text, "", true), GeError);
  }
}
