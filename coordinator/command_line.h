// The command line of mstune: a list of subcommands, of which one is chosen and run.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/message.h"

namespace CLI {
class App;
}

namespace mstune::coordinator {

// What surrounds a run of mstune, handed in.
struct World {
  std::vector<std::string> environment;  // "NAME=value"
  std::ostream& out;
  std::ostream& err;
  // Why something of `out` was lost; nothing when all of it was written.
  std::function<std::optional<Message>()> output_failure = {};
};

// What a subcommand added to the command line, and what it does when it is the chosen one. `run`
// returns the exit status; bad arguments are thrown as usage errors, a world that does not fit as
// environment errors (both end with status 2).
struct Subcommand {
  const CLI::App* app = nullptr;
  std::function<int(World&)> run;
  bool lives_by_output = true;  // false: its work is done though nobody reads what it prints
};
using AddSubcommand = Subcommand (*)(CLI::App&);

// Adds the subcommands to a command line, runs the chosen one, and returns its exit status. Throws
// an environment error when what it printed could not be written.
int run_command_line(std::span<const std::string> arguments,
                     std::span<const AddSubcommand> subcommands, World& world);

// Fills what was added to `app`. Returns a text to print instead of working (--help, --version).
// Throws a usage error for what is not understood. `arguments` are without the program's name.
std::optional<std::string> parse(CLI::App& app, std::span<const std::string> arguments);

}  // namespace mstune::coordinator
