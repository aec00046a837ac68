// Reads a command line out of CLI11, and puts another language into it.
#pragma once

#include "common/catalogue.h"
#include "common/cli/description.h"

namespace CLI {
class App;
}

namespace mstune::cli {

// Hidden options (those without a group) are left out.
CommandDescription describe(const CLI::App& app);

// Replaces the descriptions by those of the catalogue: "help.tune" for a command,
// "help.tune.--mode" for its option, "help.mstune" and "help.mstune.--lang" for the program's own,
// "help.--help" for what every command has; and CLI11's own words ("help.usage", ...).
void translate(CLI::App& app, const Catalogue& catalogue);

// The ids that translate() looks for, of everything that is shown.
std::vector<std::string> help_ids(const CommandDescription& program);

}  // namespace mstune::cli
