#include "coordinator/command_line.h"

#include <algorithm>
#include <ostream>

#include <CLI/CLI.hpp>

#include "common/cli/describe.h"
#include "common/cli/parse_error.h"
#include "common/error.h"
#include "common/language.h"
#include "common/version.h"

namespace mstune::coordinator {

std::optional<std::string> parse(CLI::App& app, std::span<const std::string> arguments) {
  try {
    // CLI11 takes them from the end.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app.help() : chosen.front()->help("mstune");
  } catch (const CLI::CallForVersion&) {
    return app.version() + "\n";
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    const bool names_one = !arguments.empty() && !arguments.front().starts_with('-');
    if (chosen.empty() && names_one) {
      throw usage_error("options.unknown_command", "there is no command {}; see mstune --help",
                        arguments.front());
    }
    throw usage_error("options.bad_option", "{}; see mstune {}--help",
                      cli::parse_error(error.what()),
                      chosen.empty() ? "" : chosen.front()->get_name() + " ");
  }
}

namespace {

void refuse_lost_output(const World& world) {
  const auto failure = world.output_failure ? world.output_failure() : std::nullopt;
  if (failure) {
    throw Error(ErrorKind::environment, *failure);
  }
}

}  // namespace

int run_command_line(std::span<const std::string> arguments,
                     std::span<const AddSubcommand> subcommands, World& world) {
  CLI::App app{"mstune: finds the best multi-stream configuration of a model by measuring it",
               "mstune"};
  app.set_version_flag("--version", std::string("mstune ") + kVersion);
  // What it asks for was found before, so that even what is wrong in a command line is told in it.
  std::string language;
  app.add_option("--lang", language, "Language: en or zh (default: that of the locale)")
      ->check(CLI::IsMember({"en", "zh"}));
  app.require_subcommand(1);
  app.fallthrough();
  std::vector<Subcommand> added;
  for (const AddSubcommand add : subcommands) {
    added.push_back(add(app));
  }
  cli::translate(app, catalogue(spoken()));
  if (const auto text = parse(app, arguments)) {
    world.out << *text;
    refuse_lost_output(world);
    return 0;
  }
  const auto chosen = std::find_if(added.begin(), added.end(),
                                   [](const Subcommand& each) { return each.app->parsed(); });
  const int status = chosen->run(world);
  if (chosen->lives_by_output) {
    refuse_lost_output(world);
  }
  return status;
}

}  // namespace mstune::coordinator
