// Causes of an `exited` (protocol/messages.h) that say that a trial's steps are not what they seem,
// although its program ended by itself.
#pragma once

namespace mstune::protocol {

inline constexpr const char* kCauseForeign = "foreign_process";  // who came onto its device

}  // namespace mstune::protocol
