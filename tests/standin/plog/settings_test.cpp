#include "tests/standin/plog/settings.h"

#include <map>
#include <string>

#include <doctest/doctest.h>

namespace standin::plog {
namespace {

Settings settings(const std::map<std::string, std::string>& variables) {
  return read_settings(
      [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      "/home/user");
}

TEST_CASE("settings: an empty environment writes ten files below the passwd home") {
  const Settings plain = settings({});
  CHECK(plain.root.process_log_path.empty());
  CHECK(plain.root.work_path.empty());
  CHECK(plain.root.passwd_home == "/home/user");
  CHECK(plain.files_max == 10);
  CHECK_FALSE(plain.to_stdout);
  CHECK_FALSE(plain.synchronous);
  CHECK_FALSE(plain.old_fork);
}

TEST_CASE("settings: the number of files is 1 to 1000, anything else counts as unset") {
  const auto files_max = [](const char* value) {
    return settings({{"ASCEND_HOST_LOG_FILE_NUM", value}}).files_max;
  };
  CHECK(files_max("1") == 1);
  CHECK(files_max("1000") == 1000);
  for (const char* value : {"0", "1001", "-1", "", "3x", " 3", "99999999999"}) {
    CHECK(files_max(value) == 10);
  }
}

TEST_CASE("settings: the newer stdout variable wins wherever it is set") {
  const std::string newer = "ASCEND_LOG_PRINT_TO_STDOUT";
  const std::string older = "ASCEND_SLOG_PRINT_TO_STDOUT";
  CHECK(settings({{newer, "1"}}).to_stdout);
  CHECK(settings({{older, "1"}}).to_stdout);
  CHECK(settings({{newer, "1"}, {older, "0"}}).to_stdout);
  CHECK_FALSE(settings({{newer, "0"}, {older, "1"}}).to_stdout);
  CHECK_FALSE(settings({{older, "true"}}).to_stdout);
}

TEST_CASE("settings: a level below ERROR implies synchronous saving") {
  CHECK(settings({{"ASCEND_LOG_SYNC_SAVE", "1"}}).synchronous);
  CHECK(settings({{"ASCEND_GLOBAL_LOG_LEVEL", "2"}}).synchronous);
  CHECK(settings({{"ASCEND_MODULE_LOG_LEVEL", "GE=0"}}).synchronous);
  CHECK_FALSE(settings({{"ASCEND_GLOBAL_LOG_LEVEL", "3"}}).synchronous);
}

}  // namespace
}  // namespace standin::plog
