#include "coordinator/commands/confirm_arguments.h"

#include <CLI/CLI.hpp>

namespace mstune::coordinator {

ConfirmArguments::ConfirmArguments(CLI::App& app)
    : command_(app.add_subcommand(
          "confirm", "Measure the winner of a run against default again, in fresh rounds")) {
  command_->add_option("run_directory", options_.run_directory, "RUN_DIR of mstune tune")
      ->required();
  command_->add_option("--rounds", options_.rounds, "Fresh rounds of four runs, A B B A")
      ->capture_default_str()
      ->check(CLI::Range(2, kMaxRepeatMax));
  command_->add_option("--target", options_.target_files,
                       "Where the agents are, if not where the run's own files say: a target file "
                       "or an inventory; may be given several times");
  command_->add_flag("--allow-mismatch", options_.allow_mismatch,
                     "Go on with agents whose CANN, chips or machines do not match, or are not "
                     "those of the run");
  command_
      ->add_option("--timeout", timeout_seconds_,
                   "Seconds for a build, an upload or a run; 0: none (default: the run's)")
      ->check(CLI::Range(0.0, kSecondsMax));
}

ConfirmOptions ConfirmArguments::options() const {
  ConfirmOptions options = options_;
  if (timeout_seconds_) {
    options.timeout =
        std::chrono::milliseconds(static_cast<std::int64_t>(*timeout_seconds_ * 1000));
  }
  return options;
}

}  // namespace mstune::coordinator
