// Which lines of a program and of GE go to the coordinator, as events. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/trial_events.h"

namespace mstune::agent {

// Called for every line: it should be quick.
bool is_wanted_line(std::string_view line);

// A STEP record, or a line of GE's event log; nothing for other lines. `source` is a path
// below the trial's directory.
std::optional<protocol::Event> event_of(std::string_view source, std::uint64_t number,
                                        std::string_view line);

}  // namespace mstune::agent
