#include "coordinator/commands/analyze_arguments.h"

#include <CLI/CLI.hpp>

namespace mstune::coordinator {

AnalyzeArguments::AnalyzeArguments(CLI::App& app)
    : command_(app.add_subcommand("analyze",
                                  "Evaluate a run directory or plain logs again, without running")),
      gates_(*command_) {
  command_
      ->add_option("inputs", options_.inputs,
                   "RUN_DIR, or logs as NAME=PATH: default=DIR LoadBalance:4=FILE")
      ->required();
  command_->add_flag("--json", options_.json, "Print the summary document and nothing else");
  command_->add_flag("--write", options_.write,
                     "Write summary.json, summary.csv and steps.csv anew");
}

AnalyzeOptions AnalyzeArguments::options() const {
  AnalyzeOptions options = options_;
  options.gates = gates_.gates();
  options.digest_pattern = gates_.digest_pattern();
  return options;
}

}  // namespace mstune::coordinator
