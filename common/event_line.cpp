#include "common/event_line.h"

#include <array>
#include <cstring>
#include <utility>

namespace mstune {
namespace {

constexpr std::string_view kModule = "GE(";
constexpr std::string_view kBeforeModule = " ]";
// Parts that no argument of the line stands in, and no letter that is a capital in some releases.
constexpr std::array<std::pair<std::string_view, EventKind>, 4> kWords{{
    {"rollback to single stream", EventKind::one_stream},
    {"eed to unload other models", EventKind::unloads_others},
    {"[IMAS]AfterAssignMemory", EventKind::memory_assigned},
    {"Load model from cache success", EventKind::cache_hit},
}};

// string_view::find stops at each first letter; memmem does not.
std::size_t find_text(std::string_view text, std::string_view wanted) {
  const void* found = ::memmem(text.data(), text.size(), wanted.data(), wanted.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

// Where GE's own header names it; npos in lines of others.
std::size_t find_module(std::string_view line) {
  const std::size_t module = find_text(line, kModule);
  const bool is_ge =
      module != std::string_view::npos &&
      (module == 0 || kBeforeModule.find(line[module - 1]) != std::string_view::npos);
  return is_ge ? module : std::string_view::npos;
}

}  // namespace

bool is_of_ge(std::string_view line) {
  return find_module(line) != std::string_view::npos;
}

std::optional<EventKind> event_kind(std::string_view line) {
  const std::size_t module = find_module(line);
  if (module == std::string_view::npos) {
    return std::nullopt;
  }
  line.remove_prefix(module);
  for (const auto& [words, kind] : kWords) {
    if (find_text(line, words) != std::string_view::npos) {
      return kind;
    }
  }
  return std::nullopt;
}

std::string_view words_of(EventKind kind) {
  for (const auto& [words, known] : kWords) {
    if (known == kind) {
      return words;
    }
  }
  return {};
}

}  // namespace mstune
