// The names under which files may be put into a trial's directory.
//
// Both programs check: the coordinator to tell its user early, the agent since it trusts nobody.
#pragma once

#include <cstddef>
#include <string_view>

namespace mstune {

inline constexpr std::size_t kNamePartMax = 255;  // bytes, of every usual Linux file system
inline constexpr std::size_t kLayoutNameMax = 1024;

// Throws a usage error `file.bad_name` unless the name is relative, stays below its directory (no
// "..", no "."), has no empty part and no control character, and keeps to the limits above.
// "model_linux_aarch64.om" and "weight/part 1" are fine.
void check_layout_name(std::string_view name);

}  // namespace mstune
