// The options of `mstune agents`.
#pragma once

#include "coordinator/agents.h"

namespace CLI {
class App;
}

namespace mstune::coordinator {

class AgentsArguments {
 public:
  // Adds the subcommand to `app`, which must not outlive this.
  explicit AgentsArguments(CLI::App& app);

  [[nodiscard]] const CLI::App* command() const { return command_; }
  // Throws a usage error when no agent is named.
  [[nodiscard]] AgentsOptions options() const;

 private:
  AgentsOptions options_;
  bool watch_ = false;
  double interval_seconds_ = 2;
  CLI::App* command_;
};

}  // namespace mstune::coordinator
