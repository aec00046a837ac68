#include "common/event_line.h"

#include <array>
#include <string>
#include <utility>

#include <doctest/doctest.h>

namespace mstune {
namespace {

std::string logged(const std::string& level, const std::string& text) {
  return "[" + level + "] GE(42,python3):2026-11-30-10:00:00.000.001 [model.cc:7]42 Run: " + text;
}

const std::array<std::pair<std::string, EventKind>, 4> kLines{{
    {"Need rollback to single stream", EventKind::one_stream},
    {"model 1 need to unload other models, stream num 9", EventKind::unloads_others},
    {"[IMAS]AfterAssignMemory : graph_1 memoffset[1], streams[4]", EventKind::memory_assigned},
    {"Load model from cache success.", EventKind::cache_hit},
}};

TEST_CASE("event line: each line that changes what a measurement means is known") {
  for (const auto& [text, kind] : kLines) {
    CAPTURE(text);
    CHECK(event_kind(logged("EVENT", text)) == kind);
    CHECK(text.find(words_of(kind)) != std::string::npos);
  }
}

TEST_CASE("event line: releases that log events at level INFO, or behind another label, as well") {
  for (const auto& [text, kind] : kLines) {
    CAPTURE(text);
    CHECK(event_kind(logged("INFO", text)) == kind);
    CHECK(event_kind("[INFO] GE(42,python):2024-03-19-19:42:00.317.282 [graph.cc:1][EVENT]42 Run:" +
                     text) == kind);
    CHECK(event_kind("(Worker pid=42) " + logged("INFO", text)) == kind);
  }
}

TEST_CASE("event line: other lines, other modules and lines cut at the front are none") {
  CHECK_FALSE(event_kind(""));
  CHECK_FALSE(event_kind("[EVENT]"));
  CHECK_FALSE(event_kind(logged("EVENT", "graph compiled")));
  for (const auto& [text, kind] : kLines) {
    CAPTURE(text);
    CHECK_FALSE(event_kind(text));
    CHECK_FALSE(event_kind("[INFO] RUNTIME(1,a):" + text));
    CHECK_FALSE(event_kind("[INFO] BRIDGE(1,a):" + text));
    CHECK_FALSE(event_kind(text + ", says GE(1,a)"));
  }
}

}  // namespace
}  // namespace mstune
