// The options of `mstune keygen`.
#pragma once

#include "coordinator/command_line.h"
#include "coordinator/keygen.h"

namespace mstune::coordinator {

class KeygenArguments {
 public:
  // Adds the subcommand to `app`, which must not outlive this.
  explicit KeygenArguments(CLI::App& app);

  [[nodiscard]] const CLI::App* command() const { return command_; }
  [[nodiscard]] const KeygenOptions& options() const { return options_; }

 private:
  KeygenOptions options_;
  CLI::App* command_;
};

}  // namespace mstune::coordinator
