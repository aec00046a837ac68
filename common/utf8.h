// Whether bytes are UTF-8 (RFC 3629): shortest forms, no surrogates, nothing beyond U+10FFFF.
#pragma once

#include <string_view>

namespace mstune {

bool is_utf8(std::string_view bytes);

}  // namespace mstune
