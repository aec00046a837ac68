// Options that `tune` and `analyze` share: which steps and trials count, and what a run computed.
#pragma once

#include <cstdint>
#include <optional>
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
  ~GateArguments() = default;

  // Both throw a usage error for what cannot be right. A gate that was not given is empty.
  [[nodiscard]] GivenGates gates() const;
  [[nodiscard]] std::string digest_pattern() const;

 private:
  std::string drop_first_;
  std::optional<std::uint64_t> min_steps_;
  std::string main_graph_;
  std::string digest_pattern_;
};

}  // namespace mstune::coordinator
