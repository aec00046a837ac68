#include "coordinator/commands/manual_commands.h"

#include <memory>
#include <ostream>

#include <CLI/CLI.hpp>

#include "common/cli/describe.h"
#include "common/version.h"

namespace mstune::coordinator {

Subcommand add_completion(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print what completes words in a shell");
  command->add_option("shell", *shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  return {command, [shell, &app](World& world) {
            const cli::CommandDescription program = cli::describe(app);
            world.out << (*shell == "bash" ? cli::bash_completion(program)
                                           : cli::zsh_completion(program));
            return 0;
          }};
}

Subcommand add_man(CLI::App& app) {
  CLI::App* command = app.add_subcommand("man", "Print the man page");
  return {command, [&app](World& world) {
            world.out << cli::man_page(cli::describe(app), std::string("mstune ") + kVersion);
            return 0;
          }};
}

}  // namespace mstune::coordinator
