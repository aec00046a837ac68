#include "coordinator/command_line.h"

#include <algorithm>
#include <ostream>

#include "common/cli/help.h"
#include "common/error.h"
#include "common/version.h"
#include "coordinator/exit_codes.h"

namespace mstune::coordinator {
namespace {

void refuse_lost_output(const World& world) {
  const auto failure = world.output_failure ? world.output_failure() : std::nullopt;
  if (failure) {
    throw Error(ErrorKind::environment, *failure);
  }
}

cli::Command program_of(const std::vector<Subcommand>& subcommands) {
  cli::Command program{.name = "mstune",
                       .text = {"finds the best multi-stream configuration of a model by measuring "
                                "it",
                                "通过测量为模型找出最佳的多流配置"}};
  for (const Subcommand& each : subcommands) {
    program.commands.push_back(each.table);
  }
  return program;
}

}  // namespace

int run_command_line(std::span<const std::string> arguments,
                     const std::vector<Subcommand>& subcommands, World& world) {
  const cli::Command program = program_of(subcommands);
  const cli::Line line = cli::parse(program, arguments, {world.home, world.read});
  switch (line.wants) {
    case cli::Wants::help:
    case cli::Wants::help_all:
      world.out << cli::help(line.commands, line.wants == cli::Wants::help_all);
      refuse_lost_output(world);
      return 0;
    case cli::Wants::version:
      world.out << "mstune " << kVersion << '\n';
      refuse_lost_output(world);
      return 0;
    case cli::Wants::usage:
      world.err << cli::help(line.commands, false);
      return kExitBadArgumentsOrEnvironment;
    case cli::Wants::work:
      break;
  }
  const auto chosen = std::find_if(
      subcommands.begin(), subcommands.end(),
      [&](const Subcommand& each) { return each.table.name == line.commands[1]->name; });
  const int status = chosen->run(line, world);
  if (chosen->lives_by_output) {
    refuse_lost_output(world);
  }
  return status;
}

}  // namespace mstune::coordinator
