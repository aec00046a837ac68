// Result codes of the graph engine.
#pragma once

#include <cstdint>

#include "graph/ge_error_codes.h"

namespace ge {

using Status = uint32_t;
constexpr Status SUCCESS = 0;
constexpr Status FAILED = 0xFFFFFFFF;
constexpr Status PARAM_INVALID = 145000;

}  // namespace ge
