#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/language.h"
#include "common/os/file.h"
#include "common/os/home.h"
#include "common/os/signals.h"
#include "common/os/standard_streams.h"
#include "common/visible.h"
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
#include "coordinator/confirm_run.h"
#include "coordinator/exit_codes.h"
#include "coordinator/keygen.h"
#include "coordinator/tune.h"

namespace {

namespace coordinator = mstune::coordinator;
using coordinator::Subcommand;
using coordinator::World;
using mstune::cli::Line;

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

Subcommand tune_command() {
  return {coordinator::tune_table(),
          [](const Line& line, World& world) {
            return coordinator::tune(coordinator::tune_options(line), world.environment, world.out);
          },
          false};
}

Subcommand confirm_command() {
  return {coordinator::confirm_table(),
          [](const Line& line, World& world) {
            return coordinator::confirm(line.options<coordinator::ConfirmOptions>(),
                                        world.environment, world.out);
          },
          false};
}

Subcommand analyze_command() {
  return {coordinator::analyze_table(), [](const Line& line, World& world) {
            return coordinator::analyze(coordinator::analyze_options(line), world.out, world.err);
          }};
}

Subcommand agents_command() {
  return {coordinator::agents_table(), [](const Line& line, World& world) {
            return coordinator::agents(coordinator::agents_options(line), world.environment,
                                       world.out);
          }};
}

Subcommand keygen_command() {
  return {coordinator::keygen_table(), [](const Line& line, World& world) {
            return coordinator::keygen(line.options<coordinator::KeygenOptions>(),
                                       world.environment, world.out);
          }};
}

// What has no loop to hear of signals ends by them.
Subcommand brief(Subcommand command) {
  command.run = [run = std::move(command.run)](const Line& line, World& world) {
    mstune::os::let_ending_signals_through();
    return run(line, world);
  };
  return command;
}

// In the order in which help lists them.
std::vector<Subcommand> subcommands() {
  return {tune_command(),
          confirm_command(),
          brief(analyze_command()),
          brief(coordinator::report_command()),
          brief(coordinator::compare_command()),
          brief(coordinator::export_command()),
          brief(agents_command()),
          brief(coordinator::doctor_command()),
          brief(coordinator::pass_command()),
          brief(keygen_command()),
          brief(coordinator::completion_command()),
          brief(coordinator::man_command()),
          brief(coordinator::help_command())};
}

// Nobody may be there to read it: that is no reason to fail otherwise.
int fail(const std::string& why) {
  std::cout << std::flush;
  std::fputs(("mstune: " + mstune::visible(why) + "\n").c_str(), stderr);
  return coordinator::kExitBadArgumentsOrEnvironment;
}

}  // namespace

int main(int argc, char** argv, char** environment) {
  mstune::os::hold_ending_signals();
  try {
    const std::vector<std::string> variables = environment_strings(environment);
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    mstune::os::set_up_standard_streams(variables, asks_for_json(arguments));
    World world{variables,
                std::cout,
                std::cerr,
                mstune::os::home_directory(variables).value_or(""),
                [](const std::string& path) { return mstune::os::read_file(path); },
                mstune::os::standard_output_failure};
    mstune::speak(mstune::chosen_language(arguments, world.environment));
    return coordinator::run_command_line(arguments, subcommands(), world);
  } catch (const mstune::Error& error) {
    return fail(mstune::said(error.message()));
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}
