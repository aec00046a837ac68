// Which attributes make GE build a graph for one candidate, and record its steps. Pure: knows
// nothing of CANN, so that it is tested without it.
#pragma once

#include <functional>
#include <string>

namespace mstune_pass {

// A contract between this pass and whoever starts the compiler; GE itself never reads it.
inline constexpr const char* kModeVariable = "GE_AUTO_MULTISTREAM_PARALLEL_MODE";

// What GE's stream allocation reads; on the root graph it beats the option of the same name.
inline constexpr const char* kModeAttribute = "ge.autoMultistreamParallelMode";
// What GE's step recorder reads, from the model: without it no STEP record is written.
inline constexpr const char* kTuningAttribute = "_auto_multistream_tuning_mode";

// Sets a text attribute of the root graph; false when the graph refuses it.
using SetAttribute = std::function<bool(const char* name, const std::string& value)>;

// Writes both attributes as `mode`, exactly as it was given: what is valid is for GE to say. A null
// or empty mode leaves the graph alone. Returns an empty text, or what went wrong.
std::string write_mode(const char* mode, const SetAttribute& set_attribute);

}  // namespace mstune_pass
