#include "coordinator/commands/keygen_arguments.h"

#include <CLI/CLI.hpp>

namespace mstune::coordinator {

KeygenArguments::KeygenArguments(CLI::App& app)
    : command_(app.add_subcommand("keygen", "Make a key pair, for a client or for an agent")) {
  command_->add_option("name", options_.name, "Whom it stands for, as it shows in logs")
      ->required();
  command_->add_option("--file", options_.file,
                       "Where the secret key goes, its .pub beside it (default: "
                       "~/.config/mstune/id.key, which target files use unless they name another)");
}

}  // namespace mstune::coordinator
