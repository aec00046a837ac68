// The options of `mstune tune`, and what can be checked about them without looking at the world.
#pragma once

#include <string>
#include <vector>

#include "coordinator/commands/fault_arguments.h"
#include "coordinator/commands/gate_arguments.h"
#include "coordinator/tune_options.h"

namespace mstune::coordinator {

class TuneArguments {
 public:
  // Adds the subcommand to `app`, which must not outlive this.
  explicit TuneArguments(CLI::App& app);

  [[nodiscard]] const CLI::App* command() const { return command_; }
  // Throws a usage error for what cannot be right.
  [[nodiscard]] TuneOptions options() const;

 private:
  void add_what_to_measure();
  void add_where();
  void add_rounds();
  void add_stages();
  void add_surroundings();

  TuneOptions options_;
  CLI::App* command_;
  std::string mode_ = "online";
  std::string strategies_ = "LoadBalance,MainStream";
  std::string streams_ = "2,4,8";
  std::string configs_;
  std::string order_ = "random";
  std::string spread_ = "share";
  std::string confirm_rounds_;  // empty where --confirm has no number
  double timeout_seconds_ = 1800;
  std::optional<double> build_timeout_seconds_;
  std::optional<double> upload_timeout_seconds_;
  std::optional<double> wait_timeout_seconds_;
  FaultArguments faults_;
  GateArguments gates_;
};

}  // namespace mstune::coordinator
