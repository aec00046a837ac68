#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/language.h"
#include "common/os/signals.h"
#include "common/os/standard_streams.h"
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
#include "coordinator/exit_codes.h"
#include "coordinator/tune.h"

namespace {

namespace coordinator = mstune::coordinator;
using coordinator::Subcommand;
using coordinator::World;

std::vector<std::string> environment_strings(char** environment) {
  std::vector<std::string> strings;
  for (; *environment != nullptr; ++environment) {
    strings.emplace_back(*environment);
  }
  return strings;
}

// Before the command line is understood: what is wrong in it is to be told readably, too.
bool asks_for_json(const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const std::string& argument) {
    return argument == "--json" || argument == "--json-lines";
  });
}

Subcommand tune(CLI::App& app) {
  const auto arguments = std::make_shared<coordinator::TuneArguments>(app);
  return {arguments->command(),
          [arguments](World& world) {
            return coordinator::tune(arguments->options(), world.environment, world.out);
          },
          false};
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
  return {arguments->command(),
          [arguments](World& world) {
            return coordinator::confirm(arguments->options(), world.environment, world.out);
          },
          false};
}

Subcommand agents(CLI::App& app) {
  const auto arguments = std::make_shared<coordinator::AgentsArguments>(app);
  return {arguments->command(), [arguments](World& world) {
            return coordinator::agents(arguments->options(), world.environment, world.out);
          }};
}

// What has no loop to hear of signals ends by them.
template <coordinator::AddSubcommand add>
Subcommand brief(CLI::App& app) {
  const Subcommand command = add(app);
  return {command.app, [run = command.run](World& world) {
            mstune::os::let_ending_signals_through();
            return run(world);
          }};
}

constexpr std::array<coordinator::AddSubcommand, 12> kSubcommands{
    tune,
    confirm,
    brief<analyze>,
    brief<coordinator::add_report>,
    brief<coordinator::add_compare>,
    brief<coordinator::add_export>,
    brief<agents>,
    brief<coordinator::doctor_command>,
    brief<coordinator::pass_command>,
    brief<keygen>,
    brief<coordinator::add_completion>,
    brief<coordinator::add_man>};

// Nobody may be there to read it: that is no reason to fail otherwise.
int fail(const std::string& why) {
  std::cout << std::flush;
  std::fputs(("mstune: " + why + "\n").c_str(), stderr);
  return coordinator::kExitBadArgumentsOrEnvironment;
}

}  // namespace

int main(int argc, char** argv, char** environment) {
  mstune::os::hold_ending_signals();
  try {
    const std::vector<std::string> variables = environment_strings(environment);
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    mstune::os::set_up_standard_streams(variables, asks_for_json(arguments));
    World world{variables, std::cout, std::cerr, mstune::os::standard_output_failure};
    mstune::speak(mstune::chosen_language(arguments, world.environment));
    return coordinator::run_command_line(arguments, kSubcommands, world);
  } catch (const mstune::Error& error) {
    return fail(mstune::said(error.message()));
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}
