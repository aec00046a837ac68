// The version of this software, for people and for the hello of the protocol.
#pragma once

namespace mstune {

inline constexpr const char* kVersion = "0.2.0";

}  // namespace mstune
