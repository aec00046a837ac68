#include "common/event_line.h"

#include <array>
#include <utility>

namespace mstune {
namespace {

constexpr std::string_view kLevel = "[EVENT]";
// Parts that no argument of the line stands in.
constexpr std::array<std::pair<std::string_view, EventKind>, 4> kMarks{{
    {"rollback to single stream", EventKind::one_stream},
    {"need to unload other models", EventKind::unloads_others},
    {"[IMAS]AfterAssignMemory", EventKind::memory_assigned},
    {"Load model from cache success", EventKind::cache_hit},
}};

}  // namespace

std::optional<EventKind> event_kind(std::string_view line) {
  if (!line.starts_with(kLevel)) {
    return std::nullopt;
  }
  for (const auto& [mark, kind] : kMarks) {
    if (line.find(mark) != std::string_view::npos) {
      return kind;
    }
  }
  return std::nullopt;
}

}  // namespace mstune
