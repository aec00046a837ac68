// What the environment says, read once when the library is loaded. Pure.
#pragma once

#include <functional>

#include "tests/standin/plog/levels.h"
#include "tests/standin/plog/root_path.h"

namespace standin::plog {

// The value of a variable, null when it is not set.
using Environment = std::function<const char*(const char* name)>;

struct Settings {
  LevelRules levels;
  RootWishes root;
  bool to_stdout = false;    // no files; each line goes to descriptor 1 at once
  bool synchronous = false;  // a full buffer is written by the caller instead of losing lines
  int files_max = 10;        // per process and channel
  bool old_fork = false;     // children append to the parent's file, as CANN did until 2026
};

// ASCEND_LOG_PRINT_TO_STDOUT wins over ASCEND_SLOG_PRINT_TO_STDOUT wherever it is set.
// STANDIN_PLOG_OLD_FORK=1 is ours. A file number outside of 1..1000 counts as unset.
Settings read_settings(const Environment& environment, const std::string& passwd_home);

}  // namespace standin::plog
