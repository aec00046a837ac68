// Result codes of the graph engine, for passes.
#pragma once

#include "external/ge_common/ge_common_api_types.h"
#include "graph/ascend_string.h"
#include "graph/error_codes.h"

#ifndef GE_RESULT_CODES
#define GE_RESULT_CODES
namespace ge {
constexpr Status SUCCESS = 0;
constexpr Status FAILED = 0xFFFFFFFF;
}  // namespace ge
#endif
