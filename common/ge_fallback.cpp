#include "common/ge_fallback.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace mstune {
namespace {

constexpr std::size_t kLineMax = 1024;  // the log library cuts lines there
constexpr std::array<EventKind, 2> kFallbacks{EventKind::one_stream, EventKind::unloads_others};

// string_view::find stops at each 'e' of a log; memmem does not.
std::size_t find_words(std::string_view text, std::string_view wanted) {
  const void* found = ::memmem(text.data(), text.size(), wanted.data(), wanted.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

// The line up to `end`, as far as a line of the log library reaches.
std::string_view line_before(std::string_view text, std::size_t end) {
  const std::size_t begin = end - std::min(end, kLineMax);
  const std::string_view near = text.substr(begin, end - begin);
  const auto line_end = near.rfind('\n');
  return line_end == std::string_view::npos ? near : near.substr(line_end + 1);
}

}  // namespace

std::optional<GeFallback> fallback_of(EventKind kind) {
  switch (kind) {
    case EventKind::one_stream:
      return GeFallback::single_stream;
    case EventKind::unloads_others:
      return GeFallback::models_unloaded;
    case EventKind::memory_assigned:
    case EventKind::cache_hit:
      break;
  }
  return std::nullopt;
}

const char* code_of(GeFallback fallback) {
  return fallback == GeFallback::single_stream ? "single_stream_fallback" : "models_unloaded";
}

Message sentence_of(GeFallback fallback) {
  if (fallback == GeFallback::single_stream) {
    return message("trial.single_stream_fallback",
                   "GE ran the model on one stream, whatever its records say (its log: Need "
                   "rollback to single stream): the device has fewer free streams than this "
                   "candidate needs. End what else uses the device, or leave such counts out with "
                   "--streams");
  }
  return message("trial.models_unloaded",
                 "GE had to unload other models before it could run this one (its log: need to "
                 "unload other models): the device has fewer free streams than this candidate "
                 "needs. End what else uses the device, or leave such counts out with --streams");
}

void GeFallbackScanner::feed(std::string_view bytes) {
  // What stands across the cut is looked at in a text of its own.
  constexpr std::size_t kAcross = 2 * kLineMax;
  tail_.append(bytes.substr(0, kAcross));
  look_in(tail_);
  if (bytes.size() > kAcross) {
    look_in(bytes);
    tail_ = bytes.substr(bytes.size() - kLineMax);
  } else {
    tail_.erase(0, tail_.size() - std::min(tail_.size(), kLineMax));
  }
}

void GeFallbackScanner::look_in(std::string_view text) {
  for (const EventKind kind : kFallbacks) {
    const GeFallback fallback = *fallback_of(kind);
    const std::string_view words = words_of(kind);
    std::string_view rest = text;
    while (std::find(found_.begin(), found_.end(), fallback) == found_.end()) {
      const std::size_t place = find_words(rest, words);
      if (place == std::string_view::npos) {
        break;
      }
      const std::size_t end = place + words.size();
      if (event_kind(line_before(rest, end)) == kind) {
        found_.push_back(fallback);
      }
      rest.remove_prefix(end);
    }
  }
}

}  // namespace mstune
