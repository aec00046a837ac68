// The integers of a STEP record: whatever fits into 64 bits, signed or unsigned.
//
// GE prints some fields as unsigned 64-bit numbers and some as signed ones, and a field may hold a
// minus. One type that holds both kinds keeps every comparison exact.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mstune {

// -2^63 .. 2^64-1 where it comes from a record; differences of two such values fit as well.
__extension__ using Integer = __int128;

inline constexpr Integer kIntegerMin = INT64_MIN;
inline constexpr Integer kIntegerMax = UINT64_MAX;

enum class IntegerFault { none, not_a_number, beyond_64_bits };

struct ParsedInteger {
  Integer value = 0;
  IntegerFault fault = IntegerFault::none;
};

// Reads an optional '-' and decimal digits, and nothing else: no plus, no blanks. Leading zeros
// are fine. Never wraps.
ParsedInteger parse_integer(std::string_view text);

}  // namespace mstune
