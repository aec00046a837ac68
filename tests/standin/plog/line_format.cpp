#include "tests/standin/plog/line_format.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

#include "tests/standin/plog/dlog_pub.h"
#include "tests/standin/plog/levels.h"

namespace standin::plog {
namespace {

std::string level_name(std::int32_t level) {
  switch (level) {
    case DLOG_DEBUG:
      return "DEBUG";
    case DLOG_INFO:
      return "INFO";
    case DLOG_WARN:
      return "WARNING";
    case DLOG_ERROR:
      return "ERROR";
    case DLOG_NULL:
      return "NULL";
    case DLOG_EVENT:
      return "EVENT";
    default:
      return std::to_string(level);
  }
}

}  // namespace

LocalTime local_time(std::int64_t microseconds_since_epoch) {
  const auto seconds = static_cast<time_t>(microseconds_since_epoch / 1'000'000);
  tm parts{};
  localtime_r(&seconds, &parts);
  return {parts.tm_year + 1900,
          parts.tm_mon + 1,
          parts.tm_mday,
          parts.tm_hour,
          parts.tm_min,
          parts.tm_sec,
          static_cast<int>(microseconds_since_epoch % 1'000'000)};
}

std::string line_time(const LocalTime& time) {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02d-%02d:%02d:%02d.%03d.%03d", time.year,
                time.month, time.day, time.hour, time.minute, time.second, time.microsecond / 1000,
                time.microsecond % 1000);
  return text.data();
}

std::string format_line(const LineHeader& header, const char* format, std::va_list arguments) {
  std::string line = "[" + level_name(header.level) + "] " + module_name(header.module) + "(" +
                     std::to_string(header.pid) + "," + header.program +
                     "):" + line_time(header.time) + " ";
  std::array<char, kLineBytesMax + 1> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  line += text.data();
  line.resize(std::min(line.size(), kLineBytesMax));
  if (line.back() == '\n') {
    return line;
  }
  if (line.size() == kLineBytesMax) {
    line.back() = '\n';
  } else {
    line += '\n';
  }
  return line;
}

std::string file_prefix(pid_t pid) {
  return "plog-" + std::to_string(pid) + "_";
}

std::string file_name(pid_t pid, const LocalTime& time) {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "%04d%02d%02d%02d%02d%02d%03d", time.year, time.month,
                time.day, time.hour, time.minute, time.second, time.microsecond / 1000);
  return file_prefix(pid) + text.data() + ".log";
}

}  // namespace standin::plog
