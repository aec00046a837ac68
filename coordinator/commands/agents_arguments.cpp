#include "coordinator/commands/agents_arguments.h"

#include <CLI/CLI.hpp>

#include "common/error.h"

namespace mstune::coordinator {

namespace {

constexpr double kIntervalMin = 0.1;
constexpr double kIntervalMax = 86400;

}  // namespace

AgentsArguments::AgentsArguments(CLI::App& app)
    : command_(app.add_subcommand("agents",
                                  "Ask agents how they are: version, round trip, store, devices")) {
  command_->add_option("--target", options_.target_files,
                       "JSON file that says where an agent is; several may be named");
  command_->add_option("--inventory", options_.inventory, "JSON file with a list of targets");
  command_->add_flag("--json", options_.json, "Print a document instead of the table");
  auto* purge =
      command_->add_flag("--purge", options_.purge, "Drop stored files that no campaign needs");
  auto* watch = command_->add_flag("--watch", watch_, "Ask again and again, until Ctrl-C");
  watch->excludes(purge);
  command_->add_option("--interval", interval_seconds_, "With --watch: seconds between two looks")
      ->capture_default_str()
      ->check(CLI::Range(kIntervalMin, kIntervalMax))
      ->needs(watch);
}

AgentsOptions AgentsArguments::options() const {
  if (options_.target_files.empty() && options_.inventory.empty()) {
    throw usage_error("options.no_agents", "name the agents with --target or --inventory");
  }
  AgentsOptions options = options_;
  if (watch_) {
    options.watch = std::chrono::milliseconds(static_cast<std::int64_t>(interval_seconds_ * 1000));
  }
  return options;
}

}  // namespace mstune::coordinator
