#include "coordinator/trial_digest.h"

#include <fstream>

#include <doctest/doctest.h>

#include "common/error.h"
#include "coordinator/digest_pattern.h"
#include "tests/unit/common_os/scratch.h"
#include "tests/unit/error_id.h"

namespace mstune::coordinator {
namespace {

TEST_CASE("digest: the last line that fits tells it, from stdout.log alone") {
  const os::Scratch scratch;
  const std::string pattern = "digest (\\w+)";
  CHECK_FALSE(read_digest(scratch.path(), pattern).has_value());
  std::ofstream(scratch.path() / "stdout.log", std::ios::binary)
      << "digest 1111\nnothing\r\nthe digest beef, of all\n"
      << std::string(100000, 'x') << "\nend";
  CHECK(read_digest(scratch.path(), pattern) == "beef");
  CHECK(read_digest(scratch.path(), "^(end)$") == "end");
  CHECK_FALSE(read_digest(scratch.path(), "sum (\\w+)").has_value());
  CHECK_FALSE(read_digest(scratch.path(), "").has_value());
}

TEST_CASE("digest: a pattern has one group and is a regular expression") {
  CHECK_NOTHROW(check_digest_pattern("", "x"));
  CHECK_NOTHROW(check_digest_pattern("a (b|c)", "x"));
  CHECK_THROWS_AS(check_digest_pattern("a b", "x"), Error);
  CHECK_THROWS_AS(check_digest_pattern("(a)(b)", "x"), Error);
  CHECK_THROWS_AS(check_digest_pattern("[a", "x"), Error);
  for (const char* huge : {"(a)\\\\\\5555555555555555555555", "(a){1,99999}", "(a){99999}"}) {
    CHECK(error_id([&] { check_digest_pattern(huge, "x"); }) == "digest.huge_number");
  }
  for (const char* fine : {"20251130 (a)", "\\\\55555 (a)", "(a){2,40}", "a,12345(b)", "(a)\\1"}) {
    CHECK_NOTHROW(check_digest_pattern(fine, "x"));
  }
}

}  // namespace
}  // namespace mstune::coordinator
