#include <array>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/error.h"
#include "common/language.h"
#include "coordinator/command_line.h"
#include "coordinator/commands/agents_arguments.h"
#include "coordinator/commands/analyze_arguments.h"
#include "coordinator/commands/compare_command.h"
#include "coordinator/commands/confirm_arguments.h"
#include "coordinator/commands/doctor.h"
#include "coordinator/commands/export_command.h"
#include "coordinator/commands/keygen_arguments.h"
#include "coordinator/commands/manual_commands.h"
#include "coordinator/commands/pass.h"
#include "coordinator/commands/report_command.h"
#include "coordinator/commands/tune_arguments.h"
#include "coordinator/tune.h"

namespace {

namespace coordinator = mstune::coordinator;
using coordinator::Subcommand;
using coordinator::World;

constexpr int kExitBadArgumentsOrEnvironment = 2;

std::vector<std::string> environment_strings(char** environment) {
  std::vector<std::string> strings;
  for (; *environment != nullptr; ++environment) {
    strings.emplace_back(*environment);
  }
  return strings;
}

Subcommand tune(CLI::App& app) {
  const auto arguments = std::make_shared<coordinator::TuneArguments>(app);
  return {arguments->command(), [arguments](World& world) {
            return coordinator::tune(arguments->options(), world.environment, world.out);
          }};
}

Subcommand analyze(CLI::App& app) {
  const auto arguments = std::make_shared<coordinator::AnalyzeArguments>(app);
  return {arguments->command(), [arguments](World& world) {
            return coordinator::analyze(arguments->options(), world.out, world.err);
          }};
}

Subcommand keygen(CLI::App& app) {
  const auto arguments = std::make_shared<coordinator::KeygenArguments>(app);
  return {arguments->command(), [arguments](World& world) {
            return coordinator::keygen(arguments->options(), world.environment, world.out);
          }};
}

Subcommand confirm(CLI::App& app) {
  const auto arguments = std::make_shared<coordinator::ConfirmArguments>(app);
  return {arguments->command(), [arguments](World& world) {
            return coordinator::confirm(arguments->options(), world.environment, world.out);
          }};
}

Subcommand agents(CLI::App& app) {
  const auto arguments = std::make_shared<coordinator::AgentsArguments>(app);
  return {arguments->command(), [arguments](World& world) {
            return coordinator::agents(arguments->options(), world.environment, world.out);
          }};
}

constexpr std::array<coordinator::AddSubcommand, 12> kSubcommands{tune,
                                                                  confirm,
                                                                  analyze,
                                                                  coordinator::add_report,
                                                                  coordinator::add_compare,
                                                                  coordinator::add_export,
                                                                  agents,
                                                                  coordinator::doctor_command,
                                                                  coordinator::pass_command,
                                                                  keygen,
                                                                  coordinator::add_completion,
                                                                  coordinator::add_man};

}  // namespace

int main(int argc, char** argv, char** environment) {
  try {
    World world{environment_strings(environment), std::cout, std::cerr};
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    mstune::speak(mstune::chosen_language(arguments, world.environment));
    return coordinator::run_command_line(arguments, kSubcommands, world);
  } catch (const mstune::Error& error) {
    std::cout << std::flush;
    fmt::print(stderr, "mstune: {}\n", mstune::said(error.message()));
    return kExitBadArgumentsOrEnvironment;
  } catch (const std::exception& error) {
    std::cout << std::flush;
    fmt::print(stderr, "mstune: {}\n", error.what());
    return kExitBadArgumentsOrEnvironment;
  }
}
