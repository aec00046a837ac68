// In which order GE loads the passes of two vendors. Pure.
#pragma once

#include <string_view>

namespace mstune::coordinator {

// True where a locale may turn the byte order of two vendors' names round. GE sorts by strcoll; in
// most locales letters and digits decide, whatever their case, before everything else does.
bool locale_may_reorder(std::string_view one, std::string_view other);

}  // namespace mstune::coordinator
