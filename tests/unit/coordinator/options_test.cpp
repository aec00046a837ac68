#include "coordinator/options.h"

#include <doctest/doctest.h>

#include "common/error.h"

namespace mstune::coordinator {
namespace {

Command parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "mstune");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

std::string error_id(const std::vector<const char*>& arguments) {
  try {
    static_cast<void>(parse(arguments));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.message().id;
  }
  return "none";
}

TEST_CASE("options: tune's defaults are the sample's") {
  const auto options = std::get<TuneOptions>(parse({"tune", "--run-command", "python3 x.py"}));
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
  const auto random = std::get<TuneOptions>(parse({"tune", "--run-command", "x"}));
  CHECK(random.order == OrderKind::random);
  CHECK_FALSE(random.seed.has_value());
  const auto fixed = std::get<TuneOptions>(
      parse({"tune", "--run-command", "x", "--order", "fixed", "--seed", "9007199254740991"}));
  CHECK(fixed.order == OrderKind::fixed);
  CHECK(fixed.seed == 9007199254740991U);
  CHECK(error_id({"tune", "--run-command", "x", "--order", "sorted"}) == "options.bad_option");
  CHECK(error_id({"tune", "--run-command", "x", "--seed", "-1"}) == "options.bad_option");
  CHECK(error_id({"tune", "--run-command", "x", "--seed", "9007199254740992"}) ==
        "options.bad_option");
}

TEST_CASE("options: stages beyond the fixed rounds are off unless asked for") {
  const auto plain = std::get<TuneOptions>(parse({"tune", "--run-command", "x"}));
  CHECK_FALSE(plain.until_proven);
  CHECK_FALSE(plain.refine);
  CHECK_FALSE(plain.control);
  CHECK(plain.confirm_rounds == 0);
  CHECK_FALSE(plain.gates.drop_auto);
  const auto proven = std::get<TuneOptions>(
      parse({"tune", "--run-command", "x", "--until-proven", "--max-repeat", "12", "--aa",
             "--confirm", "4", "--drop-first", "auto", "--digest-pattern", "digest (\\w+)"}));
  CHECK(proven.until_proven);
  CHECK(proven.max_repeat == 12);
  CHECK(proven.control);
  CHECK(proven.confirm_rounds == 4);
  CHECK(proven.gates.drop_auto);
  CHECK(proven.digest_pattern == "digest (\\w+)");
}

TEST_CASE("options: --confirm needs no number") {
  for (const auto& [more, rounds] :
       std::vector<std::pair<std::vector<const char*>, int>>{{{"--confirm"}, 5},
                                                             {{"--confirm", "--aa"}, 5},
                                                             {{"--confirm", "2"}, 2},
                                                             {{"--confirm=7"}, 7}}) {
    std::vector<const char*> arguments{"tune", "--run-command", "x"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    CHECK(std::get<TuneOptions>(parse(arguments)).confirm_rounds == rounds);
  }
}

TEST_CASE("options: confirm takes a run directory") {
  const auto plain = std::get<ConfirmOptions>(parse({"confirm", "run_1"}));
  CHECK(plain.run_directory == "run_1");
  CHECK(plain.rounds == 5);
  CHECK(plain.target_file.empty());
  CHECK_FALSE(plain.timeout.has_value());
  const auto full = std::get<ConfirmOptions>(
      parse({"confirm", "run_1", "--rounds", "2", "--target", "t.json", "--timeout", "0"}));
  CHECK(full.rounds == 2);
  CHECK(full.target_file == "t.json");
  CHECK(full.timeout == Duration::zero());
  CHECK(error_id({"confirm"}) == "options.bad_option");
  CHECK(error_id({"confirm", "run_1", "--rounds", "1"}) == "options.bad_option");
}

TEST_CASE("options: stages that do not fit together are an error") {
  const auto id = [](std::vector<const char*> more) {
    more.insert(more.begin(), {"tune", "--run-command", "x"});
    return error_id(more);
  };
  CHECK(id({"--max-repeat", "12"}) == "options.max_repeat_alone");
  CHECK(id({"--until-proven", "--refine"}) == "none");
  CHECK(id({"--until-proven", "--repeat", "1"}) == "options.repeat_until_proven");
  CHECK(id({"--until-proven", "--repeat", "21"}) == "options.repeat_until_proven");
  CHECK(id({"--until-proven", "--repeat", "20"}) == "none");
  CHECK(id({"--confirm", "1"}) == "options.bad_option");
  CHECK(id({"--confirm", "1001"}) == "options.bad_option");
  CHECK(id({"--confirm", "many"}) == "options.bad_option");
  CHECK(id({"--drop-first", "auto3"}) == "options.bad_option");
  CHECK(id({"--digest-pattern", "digest"}) == "digest.one_group");
  CHECK(id({"--digest-pattern", "(a)(b)"}) == "digest.one_group");
  CHECK(id({"--digest-pattern", "(a"}) == "digest.bad_pattern");
}

TEST_CASE("options: --configs overrides the matrix") {
  const auto options = std::get<TuneOptions>(
      parse({"tune", "--run-command", "x", "--strategies", "cv", "--configs", "MainStream:3"}));
  CHECK(options.candidates ==
        std::vector<Candidate>{kDefaultCandidate, {Strategy::main_stream, 3}});
}

TEST_CASE("options: what cannot be right is an error before anything runs") {
  CHECK(error_id({}) == "options.bad_option");
  CHECK(error_id({"tune"}) == "options.no_run_command");
  CHECK(error_id({"tune", "--run-command", "x", "--mode", "both"}) == "options.bad_option");
  CHECK(error_id({"tune", "--run-command", "x", "--repeat", "0"}) == "options.bad_option");
  CHECK(error_id({"tune", "--run-command", "x", "--drop-first", "-1"}) == "options.bad_option");
  CHECK(error_id({"tune", "--run-command", "x", "--min-steps", "0"}) == "options.bad_option");
  CHECK(error_id({"tune", "--run-command", "x", "--timeout", "-1"}) == "options.bad_option");
  CHECK(error_id({"tune", "--run-command", "x", "--main-graph", "m"}) != "none");
  CHECK(error_id({"tune", "--run-command", "x", "--streams", "65"}) == "candidate.bad_streams");
  CHECK(error_id({"tune", "--run-command", "x", "--wrong"}) == "options.bad_option");
  CHECK(error_id({"tune", "--run-command", "x", "--target", "a", "--target", "b"}) ==
        "options.one_target");
}

TEST_CASE("options: what the mode does not take is an error") {
  for (const char* option : {"--compile-command", "--om-dir"}) {
    CAPTURE(option);
    CHECK(error_id({"tune", "--run-command", "x", option, "y"}) == "options.offline_only");
  }
  CHECK(error_id({"tune", "--run-command", "x", "--keep-going"}) == "options.offline_only");
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
  const auto options = std::get<AnalyzeOptions>(
      parse({"analyze", "run_1", "--json", "--drop-first", "2", "--main-graph", "3:11"}));
  CHECK(options.inputs == std::vector<std::string>{"run_1"});
  CHECK(options.json);
  CHECK(options.gates.drop_first == 2U);
  CHECK_FALSE(options.gates.min_steps.has_value());
  CHECK(options.gates.main_object.has_value());
  const auto plain = std::get<AnalyzeOptions>(parse({"analyze", "run_1"}));
  CHECK_FALSE(plain.gates.drop_first.has_value());
  CHECK_FALSE(plain.gates.drop_auto);
  CHECK(error_id({"analyze"}) == "options.bad_option");
}

TEST_CASE("options: help and version are printed, not errors") {
  CHECK(std::get<Printed>(parse({"--version"})).text.starts_with("mstune "));
  CHECK(std::get<Printed>(parse({"tune", "--help"})).text.find("--keep-going") !=
        std::string::npos);
}

}  // namespace
}  // namespace mstune::coordinator
