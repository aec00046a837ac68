// The C functions, and when the library's one log begins and ends.
#include <pthread.h>

#include <cstdarg>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "tests/standin/plog/dlog_pub.h"
#include "tests/standin/plog/log_directory.h"
#include "tests/standin/plog/process_log.h"

namespace {

using standin::plog::ProcessLog;

ProcessLog make_log() {
  auto settings = standin::plog::read_settings([](const char* name) { return getenv(name); },
                                               standin::plog::passwd_home());
  auto root = settings.to_stdout
                  ? std::nullopt
                  : standin::plog::choose_root(settings.root, standin::plog::usable_directory);
  return {std::move(settings), std::move(root)};
}

// Never destroyed: other libraries log from their destructors, which are later than this one's.
ProcessLog& process_log() {
  static auto& log = *new ProcessLog(make_log());
  return log;
}

// The environment counts as it is now; what a program sets later is not seen.
__attribute__((constructor)) void begin() {
  process_log();
  pthread_atfork([] { process_log().before_fork(); }, [] { process_log().after_fork_in_parent(); },
                 [] { process_log().after_fork_in_child(); });
}

__attribute__((destructor)) void end() {
  process_log().finish();
}

}  // namespace

extern "C" {

// NOLINTBEGIN(readability-identifier-naming): the names are CANN's.
__attribute__((visibility("default"))) void DlogRecord(int32_t module_id, int32_t level,
                                                       const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  process_log().record(module_id, level, format, arguments);
  va_end(arguments);
}

__attribute__((visibility("default"))) int32_t CheckLogLevel(int32_t module_id, int32_t level) {
  return process_log().records(module_id, level) ? 1 : 0;
}

__attribute__((visibility("default"))) void DlogFlush(void) {
  process_log().flush();
}

__attribute__((visibility("default"))) void DlogReportFinalize(void) {}
// NOLINTEND(readability-identifier-naming)

}  // extern "C"
