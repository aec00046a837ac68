// The greeting with which both ends of a ZeroMQ connection begin: 64 bytes, before any key is
// looked at. ZMTP 3.1 (RFC 37), "greeting".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/connect_event.h"

namespace mstune {

// A client's, with CURVE or NULL.
std::string zmtp_greeting(bool with_keys);

// Whose greeting begins with these bytes; nothing while more of it has to come. Never no_answer or
// silent.
std::optional<ProbeResult> judge_greeting(std::string_view received);

}  // namespace mstune
