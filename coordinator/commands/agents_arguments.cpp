#include "coordinator/commands/agents_arguments.h"

#include <CLI/CLI.hpp>

namespace mstune::coordinator {

AgentsArguments::AgentsArguments(CLI::App& app)
    : command_(app.add_subcommand("agents",
                                  "Ask agents how they are: version, round trip, store, devices")) {
  command_
      ->add_option("--target", options_.target_files,
                   "JSON file that says where an agent is; several may be named")
      ->required();
  command_->add_flag("--json", options_.json, "Print a document instead of the table");
  command_->add_flag("--purge", options_.purge, "Drop stored files that no campaign needs");
}

}  // namespace mstune::coordinator
