// The command line of mstune: a list of subcommands, of which one is chosen and run.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/cli/line.h"
#include "common/message.h"

namespace mstune::coordinator {

// What surrounds a run of mstune, handed in.
struct World {
  std::vector<std::string> environment;  // "NAME=value"
  std::ostream& out;
  std::ostream& err;
  std::string home = {};  // this user's; empty: there is none
  std::function<std::string(const std::string& path)> read = nullptr;  // a file of options
  // Why something of `out` was lost; nothing when all of it was written.
  std::function<std::optional<Message>()> output_failure = {};
};

// A command and what it does. `run` returns the exit status; bad arguments are thrown as usage
// errors, a world that does not fit as environment errors (both end with status 2).
struct Subcommand {
  cli::Command table;
  std::function<int(const cli::Line&, World&)> run;
  bool lives_by_output = true;  // false: its work is done though nobody reads what it prints
};

// Runs the one that `arguments` (without the program's name) choose, or shows help. Returns the
// exit status. Throws an environment error when what it printed could not be written.
int run_command_line(std::span<const std::string> arguments,
                     const std::vector<Subcommand>& subcommands, World& world);

}  // namespace mstune::coordinator
