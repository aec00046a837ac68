#include "coordinator/commands/compare_command.h"

#include <ostream>

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

Subcommand compare_command() {
  return {{.name = "compare",
           .text = {"Show two runs side by side, as before and after an upgrade",
                    "并排比较两次运行，例如升级前后"},
           .options = {{.name = "before",
                        .kind = cli::Kind::path,
                        .field = cli::into<&CompareOptions::before>,
                        .value = "BEFORE",
                        .level = cli::Level::basic,
                        .required = true,
                        .text = {"RUN_DIR of the first campaign", "第一个任务的 RUN_DIR"}},
                       {.name = "after",
                        .kind = cli::Kind::path,
                        .field = cli::into<&CompareOptions::after>,
                        .value = "AFTER",
                        .level = cli::Level::basic,
                        .required = true,
                        .text = {"RUN_DIR of the second campaign", "第二个任务的 RUN_DIR"}},
                       {.name = "--json",
                        .field = cli::into<&CompareOptions::json>,
                        .level = cli::Level::basic,
                        .text = {"Print a document for scripts and nothing else",
                                 "只打印供脚本使用的文档"}}}},
          [](const cli::Line& line, World& world) {
            return run_compare(line.options<CompareOptions>(), world);
          }};
}

}  // namespace mstune::coordinator
