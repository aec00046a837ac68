// What CLI11 says of a command line that is wrong, as messages that can be translated.
#pragma once

#include <string_view>

#include "common/message.h"

namespace mstune::cli {

// `text` is the what() of a CLI::ParseError. One that is not known comes back as it is.
Message parse_error(std::string_view text);

}  // namespace mstune::cli
