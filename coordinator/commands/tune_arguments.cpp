#include "coordinator/commands/tune_arguments.h"

#include "common/error.h"
#include "coordinator/compile_command.h"
#include "coordinator/digest_pattern.h"
#include "coordinator/plan.h"

namespace mstune::coordinator {
namespace {

void refuse_stages_that_conflict(const TuneOptions& options) {
  if (options.until_proven && (options.repeat < 2 || options.repeat > options.max_repeat)) {
    throw usage_error("options.repeat_until_proven",
                      "--repeat {} with --until-proven: the rounds before the first look, at least "
                      "2 and at most --max-repeat {}",
                      options.repeat, options.max_repeat);
  }
  if (options.spread == Spread::replicate &&
      (options.until_proven || options.refine || options.confirm_rounds > 0)) {
    throw usage_error("options.replicate_is_fixed",
                      "--until-proven, --refine and --confirm decide while the campaign runs, and "
                      "go with --spread share only");
  }
}

void refuse_missing_commands(const TuneOptions& options) {
  if (options.offline) {
    if (options.compile_command.empty()) {
      throw usage_error("options.no_compile_command",
                        "--mode offline needs --compile-command, as in \"atc --model=m.onnx "
                        "--framework=5 --output={{om_prefix}}\"");
    }
    static_cast<void>(compile_words(options.compile_command));
  }
  if (options.run_command.empty() && options.target_files.empty() && options.inventory.empty()) {
    throw usage_error("options.no_run_command",
                      "no program under test: write it behind --, as in{}mstune tune {}-- {}",
                      "\n  ", options.offline ? "--mode offline … " : "",
                      options.offline ? "./infer --om {om} --loop 20" : "python3 infer.py");
  }
}

}  // namespace

TuneOptions tune_options(const cli::Line& line) {
  auto options = line.options<TuneOptions>();
  options.candidates = options.configs.empty()
                           ? candidates_of_matrix(options.strategies, options.streams)
                           : candidates_of_list(options.configs);
  options.gates = overridden(Gates(), options.given_gates);
  check_digest_pattern(options.digest_pattern, "--digest-pattern");
  refuse_stages_that_conflict(options);
  refuse_missing_commands(options);
  return options;
}

}  // namespace mstune::coordinator
