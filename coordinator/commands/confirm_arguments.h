// The options of `mstune confirm`.
#pragma once

#include <optional>

#include "coordinator/confirm_run.h"

namespace CLI {
class App;
}

namespace mstune::coordinator {

class ConfirmArguments {
 public:
  // Adds the subcommand to `app`, which must not outlive this.
  explicit ConfirmArguments(CLI::App& app);

  [[nodiscard]] const CLI::App* command() const { return command_; }
  [[nodiscard]] ConfirmOptions options() const;

 private:
  ConfirmOptions options_;
  std::optional<double> timeout_seconds_;
  CLI::App* command_;
};

}  // namespace mstune::coordinator
