// The lines of GE at its level EVENT that say what it did with a model. Pure.
//
// They change what a measurement means (one stream after all, another model unloaded), or say what
// the streams cost (memory) and whether a compile was spared (a hit in the model cache).
#pragma once

#include <optional>
#include <string_view>

namespace mstune {

enum class EventKind {
  one_stream,       // too few streams: GE went on with one, whatever the STEP records call the mode
  unloads_others,   // too few streams: GE wants to unload other models
  memory_assigned,  // at a compile: memory and streams of the model
  cache_hit,        // the model came from the model cache: nothing was compiled
};

// Nothing for every other line. Called for each line of a log: a line of another level costs one
// comparison.
std::optional<EventKind> event_kind(std::string_view line);

}  // namespace mstune
