#include "coordinator/commands/compare_command.h"

#include <memory>
#include <ostream>

#include <CLI/CLI.hpp>

#include "common/language.h"
#include "coordinator/evaluated_run.h"
#include "coordinator/run_comparison.h"

namespace mstune::coordinator {
namespace {

struct CompareOptions {
  std::string before;
  std::string after;
  bool json = false;
};

EvaluatedRun read_side(const std::string& directory, World& world) {
  EvaluatedRun run = read_evaluated_run(directory);
  for (const Message& note : run.notes) {
    world.err << said(message("compare.note", "note on {}: {}", run.directory.string(), note))
              << '\n';
  }
  return run;
}

int run_compare(const CompareOptions& options, World& world) {
  const EvaluatedRun first = read_side(options.before, world);
  const EvaluatedRun second = read_side(options.after, world);
  const RunSide before{first.campaign, first.ranking, first.trials, first.directory.string()};
  const RunSide after{second.campaign, second.ranking, second.trials, second.directory.string()};
  world.out << (options.json ? comparison_json(before, after) : comparison_text(before, after));
  return first.ranking.any_data() && second.ranking.any_data() ? 0 : 1;
}

}  // namespace

Subcommand add_compare(CLI::App& app) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* command =
      app.add_subcommand("compare", "Show two runs side by side, as before and after an upgrade");
  command->add_option("before", options->before, "RUN_DIR of the first campaign")->required();
  command->add_option("after", options->after, "RUN_DIR of the second campaign")->required();
  command->add_flag("--json", options->json, "Print a document for scripts and nothing else");
  return {command, [options](World& world) { return run_compare(*options, world); }};
}

}  // namespace mstune::coordinator
