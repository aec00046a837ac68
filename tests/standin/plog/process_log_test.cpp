#include "tests/standin/plog/process_log.h"

#include <cstdarg>
#include <filesystem>

#include <doctest/doctest.h>

#include "tests/standin/plog/dlog_pub.h"
#include "tests/standin/plog/test_support.h"

namespace standin::plog {
namespace {

void record(ProcessLog& log, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  log.record(RUN_LOG_MASK | GE, DLOG_INFO, format, arguments);
  va_end(arguments);
}

TEST_CASE("process log: what is logged when it has finished is dropped") {
  const test::TemporaryDirectory root;
  ProcessLog log(read_settings([](const char*) { return nullptr; }, ""), root.path().string());
  record(log, "%s", "before");
  log.finish();
  record(log, "%s", "after");
  log.flush();
  std::string text;
  for (const auto& entry : std::filesystem::directory_iterator(root.path() / "run/plog")) {
    text += test::content(entry.path());
  }
  CHECK(text.find("before\n") != std::string::npos);
  CHECK(text.find("after\n") == std::string::npos);
}

}  // namespace
}  // namespace standin::plog
