#include "tests/standin/common/ge_log.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "tests/standin/common/knobs.h"

namespace standin {

unsigned long thread_id() {
  return static_cast<unsigned long>(syscall(SYS_gettid));
}

bool copies_events_to_debug() {
  return environment("ASCEND_SLOG_PRINT_TO_STDOUT") != "1";
}

}  // namespace standin
