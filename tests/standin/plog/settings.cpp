#include "tests/standin/plog/settings.h"

#include <charconv>
#include <string_view>

namespace standin::plog {
namespace {

std::string text(const char* value) {
  return value == nullptr ? "" : value;
}

bool prints_to_stdout(const Environment& environment) {
  const char* value = environment("ASCEND_LOG_PRINT_TO_STDOUT");
  if (value == nullptr) {
    value = environment("ASCEND_SLOG_PRINT_TO_STDOUT");
  }
  return text(value) == "1";
}

int files_max(const std::string& value, int otherwise) {
  int number = 0;
  const char* const end = value.data() + value.size();
  const auto parsed = std::from_chars(value.data(), end, number);
  const bool valid = parsed.ec == std::errc() && parsed.ptr == end && number >= 1 && number <= 1000;
  return valid ? number : otherwise;
}

}  // namespace

Settings read_settings(const Environment& environment, const std::string& passwd_home) {
  Settings settings;
  settings.levels =
      level_rules(environment("ASCEND_GLOBAL_LOG_LEVEL"), environment("ASCEND_MODULE_LOG_LEVEL"),
                  environment("ASCEND_GLOBAL_EVENT_ENABLE"));
  settings.root = {text(environment("ASCEND_PROCESS_LOG_PATH")),
                   text(environment("ASCEND_WORK_PATH")), passwd_home};
  settings.to_stdout = prints_to_stdout(environment);
  settings.synchronous =
      text(environment("ASCEND_LOG_SYNC_SAVE")) == "1" || settings.levels.below_error_set;
  settings.files_max = files_max(text(environment("ASCEND_HOST_LOG_FILE_NUM")), settings.files_max);
  settings.old_fork = text(environment("STANDIN_PLOG_OLD_FORK")) == "1";
  return settings;
}

}  // namespace standin::plog
