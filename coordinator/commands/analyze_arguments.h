// The options of `mstune analyze`.
#pragma once

#include "coordinator/analyze.h"
#include "coordinator/commands/gate_arguments.h"

namespace mstune::coordinator {

class AnalyzeArguments {
 public:
  // Adds the subcommand to `app`, which must not outlive this.
  explicit AnalyzeArguments(CLI::App& app);

  [[nodiscard]] const CLI::App* command() const { return command_; }
  // Throws a usage error for what cannot be right.
  [[nodiscard]] AnalyzeOptions options() const;

 private:
  AnalyzeOptions options_;
  CLI::App* command_;
  GateArguments gates_;
};

}  // namespace mstune::coordinator
