// The shape of a line and of a file name. Pure: the time, the pid and the name come in.
#pragma once

#include <sys/types.h>

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <string>

namespace standin::plog {

// Bytes of a line with its '\n'. What is longer is cut there, be it within a UTF-8 sequence.
inline constexpr std::size_t kLineBytesMax = 1023;

// Local wall-clock time, taken apart.
struct LocalTime {
  int year = 1970;
  int month = 1;  // 1..12
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int microsecond = 0;  // 0..999999
};

LocalTime local_time(std::int64_t microseconds_since_epoch);

// "YYYY-MM-DD-HH:MM:SS.mmm.uuu"
std::string line_time(const LocalTime& time);

struct LineHeader {
  std::int32_t level = 0;
  std::int32_t module = 0;
  pid_t pid = 0;
  const char* program = "";  // as it stands in argv[0], unescaped: spaces, ')' and ',' are possible
  LocalTime time;
};

// "[LEVEL] MODULE(PID,PNAME):TIME TEXT\n", one '\n' at the end, at most kLineBytesMax bytes.
// Newlines inside of the text stay: what follows them has no header.
std::string format_line(const LineHeader& header, const char* format, std::va_list arguments);

// "plog-<pid>_<YYYYMMDDHHMMSSmmm>.log"
std::string file_name(pid_t pid, const LocalTime& time);

// "plog-<pid>_": what all files of a process begin with.
std::string file_prefix(pid_t pid);

}  // namespace standin::plog
