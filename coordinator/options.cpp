#include "coordinator/options.h"

#include <array>
#include <charconv>
#include <string_view>

#include <CLI/CLI.hpp>

#include "common/error.h"
#include "common/object_id.h"
#include "common/version.h"
#include "common/words.h"
#include "coordinator/plan.h"
#include "coordinator/trial_digest.h"

namespace mstune::coordinator {
namespace {

constexpr int kRepeatMax = 10000;
constexpr int kMaxRepeatMax = 1000;
constexpr double kSecondsMax = 1e9;
constexpr std::uint64_t kSeedMax = (std::uint64_t{1} << 53U) - 1;  // JSON readers keep it exactly

struct GateTexts {
  std::string drop_first;  // a number or "auto"; empty: not given
  std::string main_graph;
};

// Values as CLI11 fills them in, before they are checked together.
struct TuneTexts {
  TuneOptions options;
  std::string mode = "online";
  std::string strategies = "LoadBalance,MainStream";
  std::string streams = "2,4,8";
  std::string configs;
  std::string order = "random";
  GateTexts gates;
  GivenGates given_gates;
  double timeout_seconds = 1800;
  std::string confirm_rounds;  // empty where --confirm has no number
};

void add_digest_pattern(CLI::App& command, std::string& pattern) {
  command.add_option("--digest-pattern", pattern,
                     "The line that tells what a run computed: a regular expression with one "
                     "group, as in \"digest (\\w+)\"");
}

void add_gates(CLI::App& command, GivenGates& gates, GateTexts& texts) {
  command
      .add_option("--drop-first", texts.drop_first,
                  "Leave out this many first steps (warm-up), or auto: those before the cost of a "
                  "run has settled")
      ->default_str("1");
  command
      .add_option("--min-steps", gates.min_steps,
                  "Steps that a trial needs after the warm-up to count")
      ->default_str("5")
      ->check(CLI::PositiveNumber);
  command.add_option("--main-graph", texts.main_graph,
                     "Judge this object: session_id:graph_id or model:model_id (default: the one "
                     "with most records)");
}

void add_stages(CLI::App& command, TuneOptions& options, std::string& confirm_rounds) {
  command.add_flag("--until-proven", options.until_proven,
                   "Go on in rounds until every candidate is settled");
  command.add_option("--max-repeat", options.max_repeat, "Bound of --until-proven")
      ->capture_default_str()
      ->check(CLI::Range(2, kMaxRepeatMax));
  command.add_flag("--refine", options.refine, "Then try the neighbours of the best stream counts");
  command.add_flag("--aa", options.control,
                   "Run default under a second name, too, to see what the box adds");
  command
      .add_option("--confirm", confirm_rounds,
                  "Then measure the winner against default in so many fresh rounds of four runs")
      ->expected(0, 1)
      ->type_name("ROUNDS");
  add_digest_pattern(command, options.digest_pattern);
}

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

void add_order(CLI::App& command, TuneTexts& texts) {
  command
      .add_option(
          "--order", texts.order,
          "Of the trials within a round. random: no candidate owns a slot; fixed: as listed")
      ->capture_default_str()
      ->check(CLI::IsMember({"random", "fixed"}));
  command
      .add_option("--seed", texts.options.seed, "Repeat the random order of an earlier campaign")
      ->check(CLI::Range(std::uint64_t{0}, kSeedMax));
}

CLI::App* add_tune(CLI::App& app, TuneTexts& texts) {
  TuneOptions& options = texts.options;
  CLI::App* tune = app.add_subcommand("tune", "Measure the candidates, rank them, recommend one");
  tune->add_option("--mode", texts.mode,
                   "online: the program compiles its graph itself; offline: one OM is built for "
                   "each candidate")
      ->capture_default_str()
      ->check(CLI::IsMember({"online", "offline"}));
  tune->add_option("--run-command", options.run_command,
                   "Program under test, split like a shell splits words and run directly; offline "
                   "it holds {om}");
  tune->add_option("--compile-command", options.compile_command,
                   "Offline: builds one OM; holds {om_prefix} (without .om, for atc) or {om}");
  tune->add_option("--target", options.target_files,
                   "JSON file that says where the agent is; without one this machine is measured");
  tune->add_option("--om-dir", options.om_dir,
                   "Offline: where OMs are built (default: RUN_DIR/om)");
  tune->add_option("--strategies", texts.strategies,
                   "LoadBalance, MainStream, WeightedLoadBalance, cv")
      ->capture_default_str();
  tune->add_option("--streams", texts.streams, "Stream counts, 1 to 64")->capture_default_str();
  tune->add_option("--configs", texts.configs,
                   "Candidates by name, as in LoadBalance:4,cv; overrides the two above");
  tune->add_option("--repeat", options.repeat, "Rounds: trials of each candidate")
      ->capture_default_str()
      ->check(CLI::Range(1, kRepeatMax));
  add_order(*tune, texts);
  add_stages(*tune, options, texts.confirm_rounds);
  add_gates(*tune, texts.given_gates, texts.gates);
  tune->add_option("--timeout", texts.timeout_seconds,
                   "Seconds for a build, an upload or a run; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(0.0, kSecondsMax));
  tune->add_option("--output-dir", options.output_dir, "A run directory is made below it")
      ->capture_default_str();
  tune->add_flag("--keep-going", options.keep_going,
                 "Offline: a failing build voids its candidate, the others go on");
  tune->add_flag("--dry-run", options.dry_run, "Print candidates, trials and commands only");
  return tune;
}

CLI::App* add_analyze(CLI::App& app, AnalyzeOptions& options, GateTexts& texts) {
  CLI::App* analyze = app.add_subcommand(
      "analyze", "Evaluate a run directory or plain logs again, without running");
  analyze
      ->add_option("inputs", options.inputs,
                   "RUN_DIR, or logs as NAME=PATH: default=DIR LoadBalance:4=FILE")
      ->required();
  add_gates(*analyze, options.gates, texts);
  add_digest_pattern(*analyze, options.digest_pattern);
  analyze->add_flag("--json", options.json, "Print the summary document and nothing else");
  analyze->add_flag("--write", options.write, "Write summary.json, summary.csv and steps.csv anew");
  return analyze;
}

CLI::App* add_confirm(CLI::App& app, ConfirmOptions& options, std::optional<double>& timeout) {
  CLI::App* confirm = app.add_subcommand(
      "confirm", "Measure the winner of a run against default again, in fresh rounds");
  confirm->add_option("run_directory", options.run_directory, "RUN_DIR of mstune tune")->required();
  confirm->add_option("--rounds", options.rounds, "Fresh rounds of four runs, A B B A")
      ->capture_default_str()
      ->check(CLI::Range(2, kMaxRepeatMax));
  confirm->add_option("--target", options.target_file,
                      "Where the agent is, if not where the run's own target file says");
  confirm
      ->add_option("--timeout", timeout,
                   "Seconds for a build, an upload or a run; 0: none (default: the run's)")
      ->check(CLI::Range(0.0, kSecondsMax));
  return confirm;
}

void take_gates(const GateTexts& texts, GivenGates& gates) {
  if (!texts.main_graph.empty()) {
    gates.main_object = parse_object_id(texts.main_graph);
  }
  const std::string& text = texts.drop_first;
  gates.drop_auto = text == "auto";
  if (text.empty() || gates.drop_auto) {
    return;
  }
  std::uint64_t& drop_first = gates.drop_first.emplace();
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), drop_first);
  if (failure != std::errc{} || end != text.data() + text.size()) {
    throw usage_error("options.bad_option",
                      "--drop-first {}: a whole number from 0, or auto, belongs there", text);
  }
}

// From 2 to kMaxRepeatMax: one round has no spread.
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

Duration timeout_of(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

void refuse_options_of_offline(const CLI::App& tune) {
  constexpr std::array<const char*, 3> kOfflineOnly{"--compile-command", "--om-dir",
                                                    "--keep-going"};
  for (const char* option : kOfflineOnly) {
    if (tune.count(option) > 0) {
      throw usage_error("options.offline_only", "{} goes with --mode offline only", option);
    }
  }
}

TuneOptions checked(TuneTexts texts, const CLI::App& tune) {
  TuneOptions options = std::move(texts.options);
  options.offline = texts.mode == "offline";
  options.candidates = texts.configs.empty() ? candidates_of_matrix(texts.strategies, texts.streams)
                                             : candidates_of_list(texts.configs);
  options.timeout = timeout_of(texts.timeout_seconds);
  if (tune.count("--confirm") > 0) {
    options.confirm_rounds =
        texts.confirm_rounds.empty() ? kConfirmRounds : confirm_rounds_of(texts.confirm_rounds);
  }
  options.order = texts.order == "fixed" ? OrderKind::fixed : OrderKind::random;
  refuse_stages_that_conflict(options, tune.count("--max-repeat") > 0);
  check_digest_pattern(options.digest_pattern, "--digest-pattern");
  take_gates(texts.gates, texts.given_gates);
  options.gates = overridden({}, texts.given_gates);
  if (options.offline) {
    if (options.compile_command.empty()) {
      throw usage_error("options.no_compile_command",
                        "--mode offline needs --compile-command, as in \"atc --model=m.onnx "
                        "--framework=5 --output={{om_prefix}}\"");
    }
    static_cast<void>(compile_words(options.compile_command));
  } else {
    refuse_options_of_offline(tune);
  }
  if (options.run_command.empty() && options.target_files.empty()) {
    throw usage_error("options.no_run_command",
                      "--run-command is missing: the program under test, as in \"{}\"",
                      options.offline ? "./infer --om {om} --loop 20" : "python3 infer.py");
  }
  if (options.target_files.size() > 1) {
    throw usage_error("options.one_target",
                      "--target was given {} times: one campaign measures on one agent; run one "
                      "campaign for each",
                      options.target_files.size());
  }
  return options;
}

}  // namespace

std::vector<std::string> compile_words(const std::string& compile_command) {
  const std::vector<std::string> words = split_words(compile_command, "--compile-command");
  if (!holds_placeholder(words, "{om}") && !holds_placeholder(words, "{om_prefix}")) {
    throw usage_error("options.no_om_placeholder",
                      "--compile-command must hold {{om_prefix}} (the OM's path without .om, for "
                      "atc) or {{om}} (the whole path)");
  }
  constexpr std::array<std::string_view, 5> kStreamOptions{
      "multi_stream_parallel_mode", "autoMultistreamParallelMode", "enable_single_stream",
      "enableSingleStream", "GE_AUTO_MULTISTREAM_PARALLEL_MODE"};
  for (const std::string& word : words) {
    for (const std::string_view option : kStreamOptions) {
      if (word.find(option) != std::string::npos) {
        throw usage_error("options.stream_option",
                          "--compile-command holds \"{}\": the pass writes each candidate onto the "
                          "graph, and a second source of truth would conflict; take it out",
                          word);
      }
    }
  }
  return words;
}

Command parse_command_line(int argc, const char* const* argv) {
  CLI::App app{"mstune: finds the best multi-stream configuration of a model by measuring it",
               "mstune"};
  app.set_version_flag("--version", std::string("mstune ") + kVersion);
  app.require_subcommand(1);
  TuneTexts texts;
  const CLI::App* tune = add_tune(app, texts);
  AnalyzeOptions analyze_options;
  GateTexts analyze_gates;
  const CLI::App* analyze = add_analyze(app, analyze_options, analyze_gates);
  ConfirmOptions confirm_options;
  std::optional<double> confirm_timeout;
  const CLI::App* confirm = add_confirm(app, confirm_options, confirm_timeout);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    return Printed{chosen.empty() ? app.help() : chosen.front()->help("mstune"), 0};
  } catch (const CLI::CallForVersion&) {
    return Printed{app.version() + "\n", 0};
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    throw usage_error("options.bad_option", "{}; see mstune {}--help", std::string(error.what()),
                      chosen.empty() ? "" : chosen.front()->get_name() + " ");
  }
  if (analyze->parsed()) {
    take_gates(analyze_gates, analyze_options.gates);
    check_digest_pattern(analyze_options.digest_pattern, "--digest-pattern");
    return analyze_options;
  }
  if (confirm->parsed()) {
    if (confirm_timeout) {
      confirm_options.timeout = timeout_of(*confirm_timeout);
    }
    return confirm_options;
  }
  return checked(std::move(texts), *tune);
}

}  // namespace mstune::coordinator
