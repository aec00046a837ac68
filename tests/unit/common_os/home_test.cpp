#include "common/os/home.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "common/error.h"

namespace mstune::os {
namespace {

using Strings = std::vector<std::string>;

constexpr std::string_view kPasswd =
    "root:x:0:0:root:/root:/bin/bash\n"
    "# a comment\n"
    "odd:x:7\n"
    "empty:x:8:8:::/bin/sh\n"
    "relative:x:9:9::home:/bin/sh\n"
    "ann:x:1000:1000:Ann,,,:/home/ann:/bin/bash\n"
    "last:x:1001:1001::/home/last:/bin/sh";

TEST_CASE("home: of a user in the text of /etc/passwd") {
  CHECK(home_in_passwd(kPasswd, 0) == "/root");
  CHECK(home_in_passwd(kPasswd, 1000) == "/home/ann");
  CHECK(home_in_passwd(kPasswd, 1001) == "/home/last");
  for (const std::uint64_t user : {7U, 8U, 9U, 100U, 4242U}) {
    CHECK_FALSE(home_in_passwd(kPasswd, user));
  }
  CHECK_FALSE(home_in_passwd("", 0));
}

TEST_CASE("home: HOME counts where it is absolute") {
  CHECK(home_directory(Strings{"HOME=/h"}) == "/h");
  const auto own = home_directory(Strings{});
  CHECK(home_directory(Strings{"HOME="}) == own);
  CHECK(home_directory(Strings{"HOME=here"}) == own);
  CHECK(home_directory(Strings{"HOMEX=/h"}) == own);
}

TEST_CASE("home: a directory of the user's never lies where the program was started") {
  CHECK(user_directory(Strings{"X=/x", "HOME=/nowhere"}, "X", ".config", "--file") == "/x");
  CHECK(user_directory(Strings{"X=x", "HOME=/tmp"}, "X", ".config", "--file") == "/tmp/.config");
  CHECK(user_directory(Strings{"X=", "HOME=/tmp"}, "X", ".config", "--file") == "/tmp/.config");
}

TEST_CASE("home: one that is not there is refused, and it is said what to give instead") {
  CHECK_THROWS_WITH_AS(user_directory(Strings{"HOME=/nowhere"}, "X", ".config", "--file"),
                       doctest::Contains("--file"), Error);
}

TEST_CASE("home: only a path that begins with ~ needs one") {
  CHECK(in_home("/a", Strings{"HOME=/h"}, "--x") == "/a");
  CHECK(in_home("~/a", Strings{"HOME=/h"}, "--x") == "/h/a");
  CHECK(in_home("~b/a", Strings{"HOME=/h"}, "--x") == "~b/a");
}

}  // namespace
}  // namespace mstune::os
