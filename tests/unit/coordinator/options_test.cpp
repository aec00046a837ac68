#include <algorithm>
#include <sstream>

#include <doctest/doctest.h>

#include "common/cli/help.h"
#include "common/error.h"
#include "coordinator/command_line.h"
#include "coordinator/commands/agents_arguments.h"
#include "coordinator/commands/analyze_arguments.h"
#include "coordinator/commands/confirm_arguments.h"
#include "coordinator/commands/tune_arguments.h"
#include "coordinator/confirm_run.h"

namespace mstune::coordinator {
namespace {

using Words = std::vector<std::string>;

cli::Command program() {
  return {.name = "mstune",
          .text = {},
          .commands = {tune_table(), confirm_table(), analyze_table(), agents_table()}};
}

template <typename Options>
auto options_of(const Words& words, Options (*read)(const cli::Line&)) {
  const cli::Command table = program();
  return read(cli::parse(table, words, {"/home/u"}));
}

TuneOptions tune_options(const Words& words) {
  return options_of<TuneOptions>(words, coordinator::tune_options);
}

ConfirmOptions confirm_options(const Words& words) {
  return options_of<ConfirmOptions>(
      words, [](const cli::Line& line) { return line.options<ConfirmOptions>(); });
}

AgentsOptions agents_options(const Words& words) {
  return options_of<AgentsOptions>(words, coordinator::agents_options);
}

AnalyzeOptions analyze_options(const Words& words) {
  return options_of<AnalyzeOptions>(words, coordinator::analyze_options);
}

// Of a mistake that the table knows, its own id and not that of the sentence around it.
std::string error_id(const Words& words) {
  try {
    static_cast<void>(tune_options(words));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    const Message& message = error.message();
    return message.id.starts_with("options.mistake") ? message.inner.at(0).id : message.id;
  }
  return "none";
}

TEST_CASE("options: tune's defaults are the sample's") {
  const auto options = tune_options({"tune", "--run-command", "python3 x.py"});
  CHECK_FALSE(options.offline);
  CHECK(options.candidates.size() == 7);
  CHECK(options.repeat == 3);
  CHECK(options.gates.drop_first == 1);
  CHECK(options.gates.min_steps == 5);
  CHECK_FALSE(options.gates.main_object.has_value());
  CHECK(options.timeout == std::chrono::seconds(1800));
  CHECK(options.output_dir == "./ge_ms_autotune_output");
}

TEST_CASE("options: rounds are in random order unless a fixed one is asked for") {
  const auto random = tune_options({"tune", "--run-command", "x"});
  CHECK(random.order == OrderKind::random);
  CHECK_FALSE(random.seed.has_value());
  const auto fixed = tune_options(
      {"tune", "--run-command", "x", "--order", "fixed", "--seed", "9007199254740991"});
  CHECK(fixed.order == OrderKind::fixed);
  CHECK(fixed.seed == 9007199254740991U);
  CHECK(error_id({"tune", "--run-command", "x", "--order", "sorted"}) == "options.bad_choice");
  CHECK(error_id({"tune", "--run-command", "x", "--seed", "-1"}) == "options.bad_number");
  CHECK(error_id({"tune", "--run-command", "x", "--seed", "9007199254740992"}) ==
        "options.bad_number");
}

TEST_CASE("options: stages beyond the fixed rounds are off unless asked for") {
  const auto plain = tune_options({"tune", "--run-command", "x"});
  CHECK_FALSE(plain.until_proven);
  CHECK_FALSE(plain.refine);
  CHECK_FALSE(plain.control);
  CHECK(plain.confirm_rounds == 0);
  CHECK_FALSE(plain.gates.drop_auto);
  const auto proven =
      tune_options({"tune", "--run-command", "x", "--until-proven", "--max-repeat", "12", "--aa",
                    "--confirm", "4", "--drop-first", "auto", "--digest-pattern", "digest (\\w+)"});
  CHECK(proven.until_proven);
  CHECK(proven.max_repeat == 12);
  CHECK(proven.control);
  CHECK(proven.confirm_rounds == 4);
  CHECK(proven.gates.drop_auto);
  CHECK(proven.digest_pattern == "digest (\\w+)");
}

TEST_CASE("options: --confirm needs no number") {
  for (const auto& [more, rounds] :
       std::vector<std::pair<std::vector<std::string>, int>>{{{"--confirm"}, 5},
                                                             {{"--confirm", "--aa"}, 5},
                                                             {{"--confirm", "2"}, 2},
                                                             {{"--confirm=7"}, 7}}) {
    std::vector<std::string> arguments{"tune", "--run-command", "x"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    CHECK(tune_options(arguments).confirm_rounds == rounds);
  }
}

TEST_CASE("options: confirm takes a run directory") {
  const auto plain = confirm_options({"confirm", "run_1"});
  CHECK(plain.run_directory == "run_1");
  CHECK(plain.rounds == 5);
  CHECK(plain.target_files.empty());
  CHECK_FALSE(plain.timeout.has_value());
  const auto full = confirm_options(
      {"confirm", "run_1", "--rounds", "2", "--target", "t.json", "--timeout", "0"});
  CHECK(full.rounds == 2);
  CHECK(full.target_files == std::vector<std::string>{"t.json"});
  CHECK(full.timeout == Duration::zero());
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"confirm", "--rounds", "2"},
        {"confirm", "run_1", "--rounds", "1"}}) {
    CHECK_THROWS_AS(static_cast<void>(confirm_options(wrong)), Error);
  }
}

TEST_CASE("options: agents are named by target files, by an inventory, or both") {
  const auto both = agents_options(
      {"agents", "--target", "a.json", "--target", "b.json", "--inventory", "c.json", "--purge"});
  CHECK(both.target_files == std::vector<std::string>{"a.json", "b.json"});
  CHECK(both.inventory == "c.json");
  CHECK(both.purge);
  CHECK_FALSE(both.json);
  CHECK_THROWS_AS(static_cast<void>(agents_options({"agents"})), Error);
}

TEST_CASE("options: stages that do not fit together are an error") {
  const auto id = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"tune", "--run-command", "x"});
    return error_id(more);
  };
  CHECK(id({"--max-repeat", "12"}) == "options.needs");
  CHECK(id({"--until-proven", "--refine"}) == "none");
  CHECK(id({"--until-proven", "--repeat", "1"}) == "options.repeat_until_proven");
  CHECK(id({"--until-proven", "--repeat", "21"}) == "options.repeat_until_proven");
  CHECK(id({"--until-proven", "--repeat", "20"}) == "none");
  CHECK(id({"--confirm", "1"}) == "options.bad_number");
  CHECK(id({"--confirm", "1001"}) == "options.bad_number");
  CHECK(id({"--confirm", "many"}) == "options.bad_number");
  CHECK(id({"--drop-first", "auto3"}) == "options.bad_number_or_word");
  CHECK(id({"--digest-pattern", "digest"}) == "digest.one_group");
  CHECK(id({"--digest-pattern", "(a)(b)"}) == "digest.one_group");
  CHECK(id({"--digest-pattern", "(a"}) == "digest.bad_pattern");
}

TEST_CASE("options: --configs overrides the matrix") {
  const auto options = tune_options(
      {"tune", "--run-command", "x", "--strategies", "cv", "--configs", "MainStream:3"});
  CHECK(options.candidates ==
        std::vector<Candidate>{kDefaultCandidate, {Strategy::main_stream, 3}});
}

TEST_CASE("options: what cannot be right is an error before anything runs") {
  CHECK(error_id({"tune"}) == "options.no_run_command");
  CHECK(error_id({"tune", "--run-command", "x", "--mode", "both"}) == "options.bad_choice");
  CHECK(error_id({"tune", "--run-command", "x", "--repeat", "0"}) == "options.bad_number");
  CHECK(error_id({"tune", "--run-command", "x", "--drop-first", "-1"}) ==
        "options.bad_number_or_word");
  CHECK(error_id({"tune", "--run-command", "x", "--min-steps", "0"}) == "options.bad_number");
  CHECK(error_id({"tune", "--run-command", "x", "--timeout", "-1"}) == "options.bad_time");
  CHECK(error_id({"tune", "--run-command", "x", "--main-graph", "m"}) != "none");
  CHECK(error_id({"tune", "--run-command", "x", "--streams", "65"}) == "candidate.bad_streams");
  CHECK(error_id({"tune", "--run-command", "x", "--wrong"}) == "options.outside_quotes");
  CHECK(error_id({"tune", "--run-command", "x", "--spread", "both"}) == "options.bad_choice");
}

TEST_CASE("options: many agents are named by files, and replicate takes no stages") {
  CHECK(error_id({"tune", "--target", "a", "--target", "b"}) == "none");
  CHECK(error_id({"tune", "--inventory", "i", "--spread", "replicate", "--aa"}) == "none");
  CHECK(error_id({"tune", "--inventory", "i", "--spread", "replicate", "--refine"}) ==
        "options.replicate_is_fixed");
  CHECK(error_id({"tune", "--inventory", "i", "--spread", "replicate", "--confirm", "3"}) ==
        "options.replicate_is_fixed");
}

TEST_CASE("options: builds, uploads and waiting have times of their own, or the run's") {
  const auto plain = tune_options({"tune", "--run-command", "x", "--timeout", "7"});
  CHECK(plain.timeout == std::chrono::seconds(7));
  CHECK_FALSE(plain.build_timeout.has_value());
  CHECK_FALSE(plain.upload_timeout.has_value());
  CHECK_FALSE(plain.wait_timeout.has_value());
  CHECK(plain.compile_jobs == 1);
  const auto own =
      tune_options({"tune", "--mode", "offline", "--run-command", "x {om}", "--compile-command",
                    "atc {om_prefix}", "--build-timeout", "1.5", "--upload-timeout", "0",
                    "--wait-timeout", "3", "--compile-jobs", "4"});
  CHECK(own.timeout == std::chrono::seconds(1800));
  CHECK(own.build_timeout == std::chrono::milliseconds(1500));
  CHECK(own.upload_timeout == Duration::zero());
  CHECK(own.wait_timeout == std::chrono::seconds(3));
  CHECK(own.compile_jobs == 4);
  CHECK(error_id({"tune", "--run-command", "x", "--compile-jobs", "2"}) == "options.needs");
  CHECK(error_id({"tune", "--run-command", "x", "--build-timeout", "2"}) == "options.needs");
}

TEST_CASE("options: what the mode does not take is an error") {
  for (const char* option : {"--compile-command", "--om-dir"}) {
    CAPTURE(option);
    CHECK(error_id({"tune", "--run-command", "x", option, "y"}) == "options.needs");
  }
  CHECK(error_id({"tune", "--run-command", "x", "--keep-going"}) == "options.needs");
}

TEST_CASE("options: a compile command says where its OM goes, and nothing about streams") {
  const auto offline = [](const char* command) {
    return error_id(
        {"tune", "--mode", "offline", "--run-command", "x {om}", "--compile-command", command});
  };
  CHECK(error_id({"tune", "--mode", "offline", "--run-command", "x {om}"}) ==
        "options.no_compile_command");
  CHECK(offline("atc --output=x") == "options.no_om_placeholder");
  CHECK(offline("atc --output={om_prefix}") == "none");
  CHECK(offline("cp model.om {om}") == "none");
  CHECK(offline("awk '{print}' {om}") == "none");
  CHECK(offline("atc --output={om_prefix} --multi_stream_parallel_mode=cv") ==
        "options.stream_option");
  CHECK(offline("atc --output={om_prefix} --enable_single_stream=true") == "options.stream_option");
  CHECK(offline("atc 'x --output={om_prefix}") == "words.open_quote");
}

TEST_CASE("options: analyze takes a run directory or named logs") {
  const auto options =
      analyze_options({"analyze", "run_1", "--json", "--drop-first", "2", "--main-graph", "3:11"});
  CHECK(options.inputs == std::vector<std::string>{"run_1"});
  CHECK(options.json);
  CHECK(options.gates.drop_first == 2U);
  CHECK_FALSE(options.gates.min_steps.has_value());
  CHECK(options.gates.main_object.has_value());
  const auto plain = analyze_options({"analyze", "run_1"});
  CHECK_FALSE(plain.gates.drop_first.has_value());
  CHECK_FALSE(plain.gates.drop_auto);
}

TEST_CASE("options: what the table says without an option is what the struct says") {
  const auto options = tune_options({"tune", "--run-command", "x"});
  const TuneOptions plain;
  CHECK(options.repeat == plain.repeat);
  CHECK(options.order == plain.order);
  CHECK(options.spread == plain.spread);
  CHECK(options.max_repeat == plain.max_repeat);
  CHECK(options.timeout == plain.timeout);
  CHECK(options.compile_jobs == plain.compile_jobs);
  CHECK(options.output_dir == plain.output_dir);
  CHECK(options.retries == plain.retries);
  CHECK(options.reconnect_grace == plain.reconnect_grace);
  CHECK(options.plog == plain.plog);
  CHECK(options.plog_limit_bytes == plain.plog_limit_bytes);
  CHECK(options.output_limit_bytes == plain.output_limit_bytes);
  CHECK(options.records_max == plain.records_max);
  CHECK(agents_options({"agents", "--target", "t"}).interval == AgentsOptions().interval);
  CHECK(confirm_options({"confirm", "r"}).rounds == ConfirmOptions().rounds);
}

TEST_CASE("options: words of a choice are enumerators in their order") {
  CHECK(tune_options({"tune", "--spread", "replicate", "--", "x"}).spread == Spread::replicate);
  CHECK(tune_options({"tune", "--plog", "none", "--", "x"}).plog == PlogChoice::none);
  CHECK(tune_options({"tune", "--plog", "failed", "--", "x"}).plog == PlogChoice::failed);
}

TEST_CASE("options: a program stands behind two dashes") {
  CHECK(tune_options({"tune", "--repeat", "2", "--", "python3", "my net.py", "--steps", "30"})
            .run_command == "python3 'my net.py' --steps 30");
}

TEST_CASE("options: help, version and too little are answered without running anything") {
  std::ostringstream out;
  std::ostringstream err;
  World world{{}, out, err};
  const auto status = [&](const Words& words) {
    return run_command_line(words,
                            {{tune_table(), [](const cli::Line&, World&) { return 7; }},
                             {confirm_table(), [](const cli::Line&, World&) { return 8; }}},
                            world);
  };
  CHECK(status({"--version"}) == 0);
  CHECK(out.str().starts_with("mstune "));
  CHECK(status({"tune", "--help"}) == 0);
  CHECK(out.str().find("Measure") != std::string::npos);
  CHECK(status({"tune", "--", "x"}) == 7);
  CHECK(err.str().empty());
  CHECK(status({"confirm"}) == 2);
  CHECK(err.str().starts_with("Usage: mstune confirm"));
}

TEST_CASE("options: the short help of tune has at most 40 lines") {
  const cli::Command table = program();
  const std::vector<const cli::Command*> tune{&table, &table.commands.front()};
  const std::string text = cli::help(tune, false);
  CHECK(std::count(text.begin(), text.end(), '\n') <= 40);
}

}  // namespace
}  // namespace mstune::coordinator
