#include "coordinator/commands/agents_arguments.h"

#include <CLI/CLI.hpp>

#include "common/error.h"

namespace mstune::coordinator {

AgentsArguments::AgentsArguments(CLI::App& app)
    : command_(app.add_subcommand("agents",
                                  "Ask agents how they are: version, round trip, store, devices")) {
  command_->add_option("--target", options_.target_files,
                       "JSON file that says where an agent is; several may be named");
  command_->add_option("--inventory", options_.inventory, "JSON file with a list of targets");
  command_->add_flag("--json", options_.json, "Print a document instead of the table");
  command_->add_flag("--purge", options_.purge, "Drop stored files that no campaign needs");
}

AgentsOptions AgentsArguments::options() const {
  if (options_.target_files.empty() && options_.inventory.empty()) {
    throw usage_error("options.no_agents", "name the agents with --target or --inventory");
  }
  return options_;
}

}  // namespace mstune::coordinator
