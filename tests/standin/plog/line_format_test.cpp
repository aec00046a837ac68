#include "tests/standin/plog/line_format.h"

#include <cstdlib>

#include <doctest/doctest.h>

#include "tests/standin/plog/dlog_pub.h"

namespace standin::plog {
namespace {

const LocalTime kTime{2026, 8, 21, 15, 14, 44, 123'456};

__attribute__((format(printf, 2, 3))) std::string line(const LineHeader& header, const char* format,
                                                       ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::string text = format_line(header, format, arguments);
  va_end(arguments);
  return text;
}

LineHeader header(std::int32_t level = DLOG_INFO) {
  return {level, GE, 12345, "python3", kTime};
}

TEST_CASE("line: level, module, pid, name and time stand before the caller's text") {
  CHECK(line({DLOG_INFO, RUN_LOG_MASK | GE, 12345, "python3", kTime}, "[a.cc:%d]%d Record:x", 1,
             12346) ==
        "[INFO] GE(12345,python3):2026-08-21-15:14:44.123.456 [a.cc:1]12346 Record:x\n");
  CHECK(line({DLOG_WARN, 999, 7, "ker (x),y", kTime}, "t") ==
        "[WARNING] 999(7,ker (x),y):2026-08-21-15:14:44.123.456 t\n");
}

TEST_CASE("line: levels have names, unknown ones their number") {
  CHECK(line(header(DLOG_DEBUG), "t").rfind("[DEBUG] ", 0) == 0);
  CHECK(line(header(DLOG_ERROR), "t").rfind("[ERROR] ", 0) == 0);
  CHECK(line(header(DLOG_NULL), "t").rfind("[NULL] ", 0) == 0);
  CHECK(line(header(DLOG_EVENT), "t").rfind("[EVENT] ", 0) == 0);
  CHECK(line(header(7), "t").rfind("[7] ", 0) == 0);
}

TEST_CASE("line: newlines within the text stay, and none is added to one at the end") {
  const std::string start = line(header(), "x");
  const std::string prefix = start.substr(0, start.size() - 2);
  CHECK(line(header(), "a\nb") == prefix + "a\nb\n");
  CHECK(line(header(), "a\n") == prefix + "a\n");
  CHECK(line(header(), "%s", "") == prefix + "\n");
}

TEST_CASE("line: 1023 bytes with the newline are whole, one more is cut") {
  const std::size_t prefix = line(header(), "%s", "").size() - 1;
  const std::string fits(kLineBytesMax - prefix - 1, 'a');
  CHECK(line(header(), "%s", fits.c_str()).size() == kLineBytesMax);
  CHECK(line(header(), "%s", fits.c_str()).find(fits + "\n") != std::string::npos);
  CHECK(line(header(), "%sb", fits.c_str()) == line(header(), "%s", fits.c_str()));
  CHECK(line(header(), "%s", std::string(5000, 'a').c_str()) == line(header(), "%s", fits.c_str()));
}

TEST_CASE("line: the cut may fall within a UTF-8 sequence") {
  const std::size_t prefix = line(header(), "%s", "").size() - 1;
  const std::string text = std::string(kLineBytesMax - prefix - 2, 'a') + "\u00e9";
  CHECK(line(header(), "%s", text.c_str()).substr(kLineBytesMax - 2) == "\xc3\n");
}

TEST_CASE("line: a file is named after the pid and 17 digits of local time") {
  CHECK(file_name(4242, kTime) == "plog-4242_20260821151444123.log");
  CHECK(file_name(4242, kTime).rfind(file_prefix(4242), 0) == 0);
  CHECK(file_name(1, {2026, 1, 2, 3, 4, 5, 999}) == "plog-1_20260102030405000.log");
}

TEST_CASE("line: microseconds since the epoch are taken apart") {
  const LocalTime time = local_time(1'700'000'000'000'042);
  CHECK(time.year == 2023);
  CHECK(time.month == 11);
  CHECK(time.microsecond == 42);
}

}  // namespace
}  // namespace standin::plog
