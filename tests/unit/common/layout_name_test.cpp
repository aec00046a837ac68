#include "common/layout_name.h"

#include <string>

#include <doctest/doctest.h>

#include "common/error.h"

namespace mstune {
namespace {

bool is_refused(const std::string& name) {
  try {
    check_layout_name(name);
    return false;
  } catch (const Error& error) {
    CHECK(error.message().id == "file.bad_name");
    CHECK(error.message().text.find('\n') == std::string::npos);
    CHECK(error.message().text.size() < 300);
    return true;
  }
}

TEST_CASE("layout name: names below the directory are fine, odd ones too") {
  for (const std::string name :
       {"model.om", "model_linux_aarch64.om", "weight/part 1", "..a", "a..", "...", ".hidden",
        "-rf", "模型.om", "\xff\xfe", "a/b/c/d", "$(id)", "a\\b"}) {
    CHECK_FALSE(is_refused(name));
  }
  CHECK_FALSE(is_refused(std::string(255, 'a')));
  CHECK_FALSE(is_refused("weight/" + std::string(255, 'a')));
}

TEST_CASE("layout name: what leaves the directory or confuses is refused") {
  for (const std::string name : {"", "/", "/etc/passwd", "..", ".", "../a", "a/..", "a/../b",
                                 "a/./b", "./a", "a//b", "a/", "a\nb", "a\x7f", "\x1b[2J"}) {
    CHECK(is_refused(name));
  }
  CHECK(is_refused(std::string("a\0b", 3)));
  CHECK(is_refused(std::string(256, 'a')));
  CHECK(is_refused(std::string(300, 'a')));
}

TEST_CASE("layout name: the whole has a limit of its own") {
  std::string name;
  while (name.size() + 2 <= kLayoutNameMax) {
    name += "a/";
  }
  name.back() = 'a';
  CHECK(name.size() == kLayoutNameMax);
  CHECK_FALSE(is_refused(name));
  CHECK(is_refused(name + "a"));
}

}  // namespace
}  // namespace mstune
