#include "coordinator/commands/tune_arguments.h"

#include <array>
#include <charconv>
#include <string_view>

#include <CLI/CLI.hpp>

#include "common/error.h"
#include "common/words.h"
#include "coordinator/compile_command.h"
#include "coordinator/plan.h"

namespace mstune::coordinator {
namespace {

constexpr int kRepeatMax = 10000;
constexpr int kCompileJobsMax = 256;
constexpr std::uint64_t kSeedMax = (std::uint64_t{1} << 53U) - 1;  // JSON readers keep it exactly

void refuse_stages_that_conflict(const TuneOptions& options, bool max_repeat_given) {
  if (!options.until_proven) {
    if (max_repeat_given) {
      throw usage_error("options.max_repeat_alone", "--max-repeat goes with --until-proven only");
    }
    return;
  }
  if (options.repeat < 2 || options.repeat > options.max_repeat) {
    throw usage_error("options.repeat_until_proven",
                      "--repeat {} with --until-proven: the rounds before the first look, at least "
                      "2 and at most --max-repeat {}",
                      options.repeat, options.max_repeat);
  }
}

Duration duration_of(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

std::optional<Duration> duration_of(const std::optional<double>& seconds) {
  return seconds ? std::optional<Duration>(duration_of(*seconds)) : std::nullopt;
}

// At least two: one round has no spread.
int confirm_rounds_of(const std::string& text) {
  int rounds = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), rounds);
  if (failure != std::errc{} || end != text.data() + text.size() || rounds < 2 ||
      rounds > kMaxRepeatMax) {
    throw usage_error("options.bad_option",
                      "--confirm {}: a number of rounds from 2 to {} belongs there, or nothing "
                      "for {}",
                      text, kMaxRepeatMax, kConfirmRounds);
  }
  return rounds;
}

void refuse_options_of_offline(const CLI::App& tune) {
  constexpr std::array<const char*, 6> kOfflineOnly{"--compile-command", "--om-dir",
                                                    "--keep-going",      "--build-timeout",
                                                    "--compile-jobs",    "--pipeline"};
  for (const char* option : kOfflineOnly) {
    if (tune.count(option) > 0) {
      throw usage_error("options.offline_only", "{} goes with --mode offline only", option);
    }
  }
}

void refuse_pass_library_alone(const TuneOptions& options) {
  if (!options.pass_library.empty() && !options.manage_pass) {
    throw usage_error("options.pass_library_alone", "--pass-library goes with --manage-pass only");
  }
}

}  // namespace

TuneArguments::TuneArguments(CLI::App& app)
    : command_(app.add_subcommand("tune", "Measure the candidates, rank them, recommend one")),
      faults_(*command_),
      gates_(*command_) {
  add_what_to_measure();
  add_where();
  add_rounds();
  add_stages();
  add_surroundings();
}

void TuneArguments::add_what_to_measure() {
  command_
      ->add_option("--mode", mode_,
                   "online: the program compiles its graph itself; offline: one OM is built for "
                   "each candidate")
      ->capture_default_str()
      ->check(CLI::IsMember({"online", "offline"}));
  command_->add_option(
      "--run-command", options_.run_command,
      "Program under test, split like a shell splits words and run directly; offline "
      "it holds {om}");
  command_->add_flag("--shell", options_.shell,
                     "--run-command is one text for /bin/bash -c, not words to be run directly");
  command_->add_option("--compile-command", options_.compile_command,
                       "Offline: builds one OM; holds {om_prefix} (without .om, for atc) or {om}");
  command_->add_option("--om-dir", options_.om_dir,
                       "Offline: where OMs are built (default: RUN_DIR/om)");
  command_
      ->add_option("--strategies", strategies_, "LoadBalance, MainStream, WeightedLoadBalance, cv")
      ->capture_default_str();
  command_->add_option("--streams", streams_, "Stream counts, 1 to 64")->capture_default_str();
  command_->add_option("--configs", configs_,
                       "Candidates by name, as in LoadBalance:4,cv; overrides the two above");
}

void TuneArguments::add_where() {
  command_->add_option("--target", options_.target_files,
                       "JSON file that says where an agent is; may be given several times; without "
                       "one this machine is measured");
  command_->add_option("--inventory", options_.inventory,
                       "JSON file with a list of targets and what they have in common");
  command_
      ->add_option("--spread", spread_,
                   "With more than one device. share: the rounds are divided among them; "
                   "replicate: each runs all rounds")
      ->capture_default_str()
      ->check(CLI::IsMember({"share", "replicate"}));
  command_->add_flag("--ignore-busy", options_.ignore_busy,
                     "Measure though somebody else uses the device");
  command_->add_flag("--allow-mismatch", options_.allow_mismatch,
                     "Go on with agents whose CANN, chips or machines do not match");
}

void TuneArguments::add_rounds() {
  command_->add_option("--repeat", options_.repeat, "Rounds: trials of each candidate")
      ->capture_default_str()
      ->check(CLI::Range(1, kRepeatMax));
  command_
      ->add_option(
          "--order", order_,
          "Of the trials within a round. random: no candidate owns a slot; fixed: as listed")
      ->capture_default_str()
      ->check(CLI::IsMember({"random", "fixed"}));
  command_->add_option("--seed", options_.seed, "Repeat the random order of an earlier campaign")
      ->check(CLI::Range(std::uint64_t{0}, kSeedMax));
}

void TuneArguments::add_stages() {
  command_->add_flag("--until-proven", options_.until_proven,
                     "Go on in rounds until every candidate is settled");
  command_->add_option("--max-repeat", options_.max_repeat, "Bound of --until-proven")
      ->capture_default_str()
      ->check(CLI::Range(2, kMaxRepeatMax));
  command_->add_flag("--refine", options_.refine,
                     "Then try the neighbours of the best stream counts");
  command_->add_flag("--aa", options_.control,
                     "Run default under a second name, too, to see what the box adds");
  command_
      ->add_option("--confirm", confirm_rounds_,
                   "Then measure the winner against default in so many fresh rounds of four runs "
                   "(without a number: 5)")
      ->expected(0, 1);
}

void TuneArguments::add_surroundings() {
  const CLI::Range seconds(0.0, kSecondsMax);
  command_->add_option("--timeout", timeout_seconds_, "Seconds for a run; 0: none")
      ->capture_default_str()
      ->check(seconds);
  command_
      ->add_option("--build-timeout", build_timeout_seconds_,
                   "Offline: seconds for a build (default: --timeout)")
      ->check(seconds);
  command_
      ->add_option("--upload-timeout", upload_timeout_seconds_,
                   "Seconds for one file on its way to the agent (default: --timeout)")
      ->check(seconds);
  command_
      ->add_option("--wait-timeout", wait_timeout_seconds_,
                   "Seconds for a trial to wait for a free device (default: --timeout)")
      ->check(seconds);
  command_
      ->add_option("--compile-jobs", options_.compile_jobs,
                   "Offline: builds at the same time; above 1 each has a working directory of its "
                   "own")
      ->capture_default_str()
      ->check(CLI::Range(1, kCompileJobsMax));
  command_->add_flag("--pipeline", options_.pipeline,
                     "Offline: start each trial when its own OM is at the agent instead of waiting "
                     "for all; never while this machine builds or sends and measures");
  command_->add_option("--output-dir", options_.output_dir, "A run directory is made below it")
      ->capture_default_str();
  command_->add_flag("--keep-going", options_.keep_going,
                     "Offline: a failing build voids its candidate, the others go on");
  command_->add_flag("--dry-run", options_.dry_run, "Print candidates, trials and commands only");
  CLI::Option* quiet =
      command_->add_flag("--quiet", options_.quiet, "Print the result and nothing before it");
  command_
      ->add_flag("--json-lines", options_.json_lines,
                 "Print events for other programs, one JSON document a line, and nothing else")
      ->excludes(quiet);
  command_->add_flag("--manage-pass", options_.manage_pass,
                     "Install the tuning pass before the run and remove it after");
  command_->add_option("--pass-library", options_.pass_library,
                       "The library for --manage-pass (default: as mstune pass install finds it)");
}

TuneOptions TuneArguments::options() const {
  TuneOptions options = options_;
  options.offline = mode_ == "offline";
  options.candidates =
      configs_.empty() ? candidates_of_matrix(strategies_, streams_) : candidates_of_list(configs_);
  options.timeout = duration_of(timeout_seconds_);
  options.build_timeout = duration_of(build_timeout_seconds_);
  options.upload_timeout = duration_of(upload_timeout_seconds_);
  options.wait_timeout = duration_of(wait_timeout_seconds_);
  if (command_->count("--confirm") > 0) {
    options.confirm_rounds =
        confirm_rounds_.empty() ? kConfirmRounds : confirm_rounds_of(confirm_rounds_);
  }
  options.order = order_ == "fixed" ? OrderKind::fixed : OrderKind::random;
  refuse_stages_that_conflict(options, command_->count("--max-repeat") > 0);
  faults_.apply(options);
  options.gates = overridden(Gates(), gates_.gates());
  options.digest_pattern = gates_.digest_pattern();
  if (options.offline) {
    if (options.compile_command.empty()) {
      throw usage_error("options.no_compile_command",
                        "--mode offline needs --compile-command, as in \"atc --model=m.onnx "
                        "--framework=5 --output={{om_prefix}}\"");
    }
    static_cast<void>(compile_words(options.compile_command));
  } else {
    refuse_options_of_offline(*command_);
  }
  options.spread = *parse_spread(spread_);
  if (options.spread == Spread::replicate &&
      (options.until_proven || options.refine || options.confirm_rounds > 0)) {
    throw usage_error("options.replicate_is_fixed",
                      "--until-proven, --refine and --confirm decide while the campaign runs, and "
                      "go with --spread share only");
  }
  if (options.run_command.empty() && options.target_files.empty() && options.inventory.empty()) {
    throw usage_error("options.no_run_command",
                      "--run-command is missing: the program under test, as in \"{}\"",
                      options.offline ? "./infer --om {om} --loop 20" : "python3 infer.py");
  }
  refuse_pass_library_alone(options);
  return options;
}

}  // namespace mstune::coordinator
