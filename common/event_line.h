// The lines of GE's event log that say what it did with a model. Pure.
//
// They change what a measurement means (one stream after all, another model unloaded), or say what
// the streams cost (memory) and whether a compile was spared (a hit in the model cache). CANN calls
// their level EVENT in some releases and INFO in others: what tells them is that they are GE's own.
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

// Nothing for every other line, and for one that only quotes GE: "GE(" of the header stands before
// the words. Called for each line of a log; a line without that costs one search.
std::optional<EventKind> event_kind(std::string_view line);

// True where "GE(" stands as a header's module: a line of GE's own, whatever it says.
bool is_of_ge(std::string_view line);

// The words that such a line is known by, in whichever release.
std::string_view words_of(EventKind kind);

}  // namespace mstune
