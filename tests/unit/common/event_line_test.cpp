#include "common/event_line.h"

#include <string>

#include <doctest/doctest.h>

namespace mstune {
namespace {

std::string logged(const std::string& level, const std::string& text) {
  return "[" + level + "] GE(42,python3):2026-11-30-10:00:00.000.001 [model.cc:7]42 Run: " + text;
}

TEST_CASE("event line: each line that changes what a measurement means is known") {
  CHECK(event_kind(logged("EVENT", "Need rollback to single stream")) == EventKind::one_stream);
  CHECK(event_kind(logged("EVENT", "model 1 need to unload other models, stream num 9")) ==
        EventKind::unloads_others);
  CHECK(event_kind(logged("EVENT", "[IMAS]AfterAssignMemory : graph_1 memoffset[1], streams[4]")) ==
        EventKind::memory_assigned);
  CHECK(event_kind(logged("EVENT", "Load model from cache success.")) == EventKind::cache_hit);
}

TEST_CASE("event line: other lines, other levels and lines cut at the front are none") {
  CHECK_FALSE(event_kind(""));
  CHECK_FALSE(event_kind("[EVENT]"));
  CHECK_FALSE(event_kind(logged("EVENT", "graph compiled")));
  CHECK_FALSE(event_kind(logged("INFO", "Load model from cache success.")));
  CHECK_FALSE(event_kind("Load model from cache success."));
}

}  // namespace
}  // namespace mstune
