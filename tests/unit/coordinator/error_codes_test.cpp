#include "coordinator/error_codes.h"

#include <doctest/doctest.h>

namespace mstune::coordinator {
namespace {

using Ids = std::vector<std::string>;

Ids ids_in(const std::string& output) {
  Ids ids;
  for (const Reason& cause : causes_in(output)) {
    ids.push_back(cause.sentence.id);
  }
  return ids;
}

TEST_CASE("error codes: CANN's codes are recognised as words") {
  CHECK(ids_in("E10056: Cannot configure both") == Ids{"hint.single_stream"});
  CHECK(ids_in("E13029: Failed to load custom fusion pass lib") == Ids{"hint.unloadable_pass"});
  CHECK(ids_in("ret=507033 EL0005: busy") == Ids{"hint.device_busy"});
  CHECK(ids_in("result[507008]") == Ids{"hint.other_chip"});
  CHECK(ids_in("write: No space left on device") == Ids{"hint.disk_full"});
  CHECK(ids_in("E13026: no such directory") == Ids{"hint.no_cache_directory"});
  CHECK(ids_in("EL0008: Events") == Ids{"hint.no_events"});
  CHECK(ids_in("at 0x15070331, E100567, XE10056").empty());
  for (const char* output : {"retCode 0x7020023", "EE1023: streams", "Alloc sq cq fail, ret=7",
                             "EL0009", "check and release stream failed"}) {
    CAPTURE(output);
    CHECK(ids_in(output) == Ids{"hint.no_streams"});
  }
}

TEST_CASE("error codes: each code of a record has a name of its own") {
  for (const int code : {507000, 507009, 507011, 507014, 507015, 507018, 507034, 507035, 507046,
                         507048, 507010, 507008, 507033, 207001, 207008, 207007, 999}) {
    CAPTURE(code);
    const Reason cause = cause_of_code(code);
    CHECK(cause.code == "device_error");
    CHECK(cause.sentence.text.find(std::to_string(code)) != std::string::npos);
  }
}

TEST_CASE("error codes: too few streams are named with the chip's own limit") {
  const auto text = [](const std::string& chip) {
    return cause_of_code(207008, {chip}).sentence.text;
  };
  CHECK(text("Ascend910B2").find("an Ascend910B2 share 1984") != std::string::npos);
  CHECK(text("Ascend310P3").find("an Ascend310P3 share 1024") != std::string::npos);
  CHECK(text("310B4").find("share 512") != std::string::npos);
  CHECK(text("Ascend910A").find("share 2048") != std::string::npos);
  CHECK(text("Ascend910").find("share 1984 (A2, A3), 2048 (910)") != std::string::npos);
  CHECK(text("").find("share 1984 (A2, A3), 2048 (910)") != std::string::npos);
}

TEST_CASE("error codes: the log library's warning is found inside of the program's own line") {
  CHECK(log_warning_in("a\nstep 3[LOG_WARNING] can not write log, reason: x.\nb") ==
        "[LOG_WARNING] can not write log, reason: x.");
  CHECK(log_warning_in("a [LOG_WARN] b").empty());
}

}  // namespace
}  // namespace mstune::coordinator
