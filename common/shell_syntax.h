// Whether a command as written means something else to a shell than to us, who run it directly.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mstune {

// The first thing in it that only a shell would understand, for an error: an unquoted | & ; < > ( )
// * ? [, a $ or backtick outside of single quotes, a word that begins with ~, a leading NAME=value,
// or cd as the program. Nothing when a shell would only split words.
std::optional<std::string> shell_syntax_in(std::string_view command);

}  // namespace mstune
