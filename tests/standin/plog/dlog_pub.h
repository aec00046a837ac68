// The C interface of the host log library, under the names and values that CANN uses.
//
// Callers give the whole text behind the header, "[file:line]" and thread id included; GE's macros
// call twice for an event, once with RUN_LOG_MASK and once without, and so make the copy in debug/.
#pragma once

// NOLINTBEGIN: this header is C, and its names are CANN's.
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DLOG_DEBUG 0
#define DLOG_INFO 1
#define DLOG_WARN 2
#define DLOG_ERROR 3
#define DLOG_NULL 4
#define DLOG_EVENT 0x10

#define DEBUG_LOG_MASK 0x00010000
#define SECURITY_LOG_MASK 0x00100000
#define RUN_LOG_MASK 0x01000000

enum {
  SLOG = 0,
  HCCL = 3,
  FMK = 4,
  DVPP = 6,
  RUNTIME = 7,
  CCE = 8,
  HDC = 9,
  DRV = 10,
  TEFUSION = 30,
  PROFILING = 31,
  AICPU = 36,
  TDT = 38,
  FE = 39,
  GE = 45,
  ASCENDCL = 48,
  TBE = 57,
  TUNE = 60,
  FFTS = 62,
  OP = 63,
};

// Records one line, or nothing when the level rules say so. `moduleId` is a module of above with at
// most one mask; without a mask the line belongs to debug/, but DLOG_EVENT always to run/.
void DlogRecord(int32_t moduleId, int32_t level, const char* fmt, ...)
    __attribute__((format(printf, 3, 4)));

// 1 when DlogRecord with the same arguments would record, 0 when not.
int32_t CheckLogLevel(int32_t moduleId, int32_t level);

// Writes what is buffered to the files now, in the calling thread.
void DlogFlush(void);

// What aclFinalize calls. It is about the logs of devices: what is buffered here stays so.
void DlogReportFinalize(void);

#ifdef __cplusplus
}
#endif
// NOLINTEND
