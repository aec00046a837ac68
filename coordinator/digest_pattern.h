// The pattern by which a program's output tells what it computed (--digest-pattern). Pure.
#pragma once

#include <string>
#include <string_view>

namespace mstune::coordinator {

// Throws a usage error when `pattern` is no regular expression (ECMAScript) with exactly one group.
// `where` names where it was written.
void check_digest_pattern(const std::string& pattern, std::string_view where);

}  // namespace mstune::coordinator
