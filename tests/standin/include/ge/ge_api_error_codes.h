// Result codes of the graph engine, for programs. The header for passes has the same ones.
#pragma once

#include "ge/ge_api_types.h"

#ifndef GE_RESULT_CODES
#define GE_RESULT_CODES
namespace ge {
constexpr Status SUCCESS = 0;
constexpr Status FAILED = 0xFFFFFFFF;
}  // namespace ge
#endif
