// GE's way of logging: each message begins with the thread id and the function.
#pragma once

#include "tests/standin/plog/dlog_pub.h"

namespace standin {

// The kernel's id of this thread.
unsigned long thread_id();

// True unless the older of the two print-to-stdout variables is 1; GE looks at no other.
bool copies_events_to_debug();

}  // namespace standin

// NOLINTBEGIN(cppcoreguidelines-macro-usage): file and line are those of the caller
#define STANDIN_GE_RECORD(module, level, format, ...)                         \
  DlogRecord(module, level, "[%s:%d]%lu %s:" format, __FILE_NAME__, __LINE__, \
             standin::thread_id(), __FUNCTION__, __VA_ARGS__)

#define GE_LOG_ERROR(format, ...) STANDIN_GE_RECORD(GE, DLOG_ERROR, format, __VA_ARGS__)
#define GE_LOG_WARNING(format, ...) STANDIN_GE_RECORD(GE, DLOG_WARN, format, __VA_ARGS__)
#define GE_LOG_INFO(format, ...)                             \
  do {                                                       \
    if (CheckLogLevel(GE, DLOG_INFO) == 1) {                 \
      STANDIN_GE_RECORD(GE, DLOG_INFO, format, __VA_ARGS__); \
    }                                                        \
  } while (false)

// An event goes to the run log always, and a copy to the debug log at level INFO.
#define GE_LOG_EVENT(format, ...)                                         \
  do {                                                                    \
    STANDIN_GE_RECORD(RUN_LOG_MASK | GE, DLOG_INFO, format, __VA_ARGS__); \
    if (standin::copies_events_to_debug()) {                              \
      GE_LOG_INFO(format, __VA_ARGS__);                                   \
    }                                                                     \
  } while (false)
// NOLINTEND(cppcoreguidelines-macro-usage)
