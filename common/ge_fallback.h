// What GE says in its log when it does not run a model as it was compiled.
//
// Such a step records the candidate's own mode, so nothing but these lines tells that its cost is
// another one's. GE writes them as events (event_line.h), once for each load of a model. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/event_line.h"
#include "common/message.h"

namespace mstune {

enum class GeFallback {
  single_stream,    // too few streams are free: a model of unknown shape runs on one
  models_unloaded,  // too few are free, and other models of the process have to go
};

// Nothing for the events that leave a measurement what it is.
std::optional<GeFallback> fallback_of(EventKind kind);

// Never changes; goes into a trial's `reason_codes`.
const char* code_of(GeFallback fallback);
// Why a trial with it does not count.
Message sentence_of(GeFallback fallback);

// Bytes of a log in any cut → the fallbacks in it, each kind once.
class GeFallbackScanner {
 public:
  void feed(std::string_view bytes);
  [[nodiscard]] const std::vector<GeFallback>& found() const { return found_; }

 private:
  void look_in(std::string_view text);

  std::string tail_;  // the end of what came, in which a line may have begun
  std::vector<GeFallback> found_;
};

}  // namespace mstune
