// Options that `tune` and `analyze` share: which steps and trials count, and what a run computed.
#pragma once

#include <string>

#include "coordinator/evaluation.h"

namespace CLI {
class App;
}

namespace mstune::coordinator {

class GateArguments {
 public:
  // Adds --drop-first, --min-steps, --main-graph and --digest-pattern to `command`, which must not
  // outlive this.
  explicit GateArguments(CLI::App& command);
  GateArguments(const GateArguments&) = delete;
  GateArguments& operator=(const GateArguments&) = delete;

  // Both throw a usage error for what cannot be right.
  [[nodiscard]] Gates gates() const;
  [[nodiscard]] std::string digest_pattern() const;

 private:
  Gates gates_;
  std::string drop_first_ = "1";
  std::string main_graph_;
  std::string digest_pattern_;
};

}  // namespace mstune::coordinator
