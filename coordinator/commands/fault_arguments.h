// The options of `mstune tune` about what fails: retries, waiting, resuming, how much is kept.
#pragma once

#include <string>

#include "coordinator/tune_options.h"

namespace CLI {
class App;
}

namespace mstune::coordinator {

class FaultArguments {
 public:
  // Adds the options to `command`, which must not outlive this.
  explicit FaultArguments(CLI::App& command);
  FaultArguments(const FaultArguments&) = delete;
  FaultArguments& operator=(const FaultArguments&) = delete;
  ~FaultArguments() = default;

  // Writes what was given into `options`.
  void apply(TuneOptions& options) const;

 private:
  TuneOptions given_;  // only the fields of these options
  double grace_seconds_ = 60;
  double agent_wait_seconds_ = 1800;
  double stall_seconds_ = 1800;
  std::string plog_ = "all";
};

}  // namespace mstune::coordinator
