// How to speak to whoever reads this process's stdout: from options, environment and terminal.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/progress.h"

namespace mstune::coordinator {

// --quiet and --json-lines decide; else a terminal that is not dumb gets the live view and anything
// else plain lines. Pure.
ProgressStyle progress_style(bool quiet, bool json_lines, bool is_terminal,
                             const std::vector<std::string>& environment);

// NO_COLOR (https://no-color.org: set and not empty) and the locale's character set. Pure; the size
// is left at 80 x 24.
Terminal terminal_of(const std::vector<std::string>& environment);

// Asks the terminal at stdout for its size whenever it is called.
std::function<Terminal()> stdout_terminal(const std::vector<std::string>& environment);

bool stdout_is_terminal();

}  // namespace mstune::coordinator
