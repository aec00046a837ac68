#include "tests/standin/plog/root_path.h"

#include <vector>

#include <doctest/doctest.h>

namespace standin::plog {
namespace {

const RootWishes kAll{"/given", "/work", "/home/user"};

TEST_CASE("root: the process log path comes first, then the work path, then the passwd home") {
  const auto anything = [](const std::string& wanted) { return std::optional(wanted); };
  CHECK(choose_root(kAll, anything) == "/given");
  CHECK(choose_root({"", "/work", "/home/user"}, anything) == "/work/log");
  CHECK(choose_root({"", "", "/home/user"}, anything) == "/home/user/ascend/log");
  CHECK_FALSE(choose_root({}, anything).has_value());
}

TEST_CASE("root: what cannot be used is passed over, and nothing is left when all fail") {
  std::vector<std::string> asked;
  const auto refuse_two = [&](const std::string& wanted) {
    asked.push_back(wanted);
    return asked.size() < 3 ? std::nullopt : std::optional(wanted);
  };
  CHECK(choose_root(kAll, refuse_two) == "/home/user/ascend/log");
  CHECK(asked == std::vector<std::string>{"/given", "/work/log", "/home/user/ascend/log"});
  CHECK_FALSE(choose_root(kAll, [](const auto&) { return std::nullopt; }).has_value());
}

TEST_CASE("root: the resolved name counts") {
  CHECK(choose_root(kAll, [](const auto&) { return std::optional<std::string>("/real"); }) ==
        "/real");
}

TEST_CASE("root: 246 bytes fit, 247 do not") {
  CHECK(root_fits(std::string(246, 'd')));
  CHECK_FALSE(root_fits(std::string(247, 'd')));
}

TEST_CASE("root: a relative path that does not exist is made below /") {
  CHECK(creation_path("logs/today") == "/logs/today");
  CHECK(creation_path("/logs/today") == "/logs/today");
}

}  // namespace
}  // namespace standin::plog
