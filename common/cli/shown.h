// How rows of a table are shown, wherever they are. Pure; in the language of the process.
#pragma once

#include <string>
#include <vector>

#include "common/cli/option.h"

namespace mstune::cli {

// "-h, --help", "--mode online|offline", "--confirm [N]", "RUN_DIR".
std::string names_and_value(const Option& option);

// Its text and its value without the option; the full text has the details as well.
std::string short_text(const Option& option);
std::string full_text(const Option& option);

// The headings under which the options of a command stand, those of all commands last.
std::vector<Text> groups_of(const Command& command);

}  // namespace mstune::cli
