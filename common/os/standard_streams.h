// The standard streams of a program that speaks to people: what it writes to a terminal or a pipe
// is in the locale's character set, a file gets UTF-8; and what could not be written is known.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "common/message.h"

namespace mstune::os {

// For main, before anything is opened or said. Descriptors 0 to 2 that are closed are kept from
// being given to files. stdout, stderr and the C++ streams on them convert from then on. `is_json`:
// what goes to standard output is JSON.
void set_up_standard_streams(std::span<const std::string> environment, bool is_json = false);

// Writes out what waits. Why something of this process's standard output was lost; nothing when
// all of it was written. Needs set_up_standard_streams().
std::optional<Message> standard_output_failure();

}  // namespace mstune::os
