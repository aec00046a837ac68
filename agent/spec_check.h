// Whether what a coordinator wants to run makes sense at all, before anything is done for it. Pure.
//
// What the owner of the box allows is another question: see policy.h.
#pragma once

#include <optional>

#include "common/message.h"
#include "protocol/messages.h"

namespace mstune::agent {

// What is wrong with it; nothing when it can be tried. Texts that hold a NUL are refused, since the
// system would read less of them than was checked.
std::optional<Message> mistake_in(const protocol::TrialSpec& spec);

}  // namespace mstune::agent
