#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "common/cli/help.h"
#include "common/cli/line.h"
#include "common/cli/nearest.h"
#include "common/cli/values.h"
#include "common/error.h"

namespace mstune::cli {
namespace {

enum class Speed { slow, fast };

struct Inner {
  std::optional<std::uint64_t> steps;
};

struct RunOptions {
  bool offline = false;
  Speed speed = Speed::slow;
  std::vector<std::string> inputs;
  bool write = false;
  int repeat = 0;
  int confirm = 0;
  Duration timeout{};
  std::optional<Duration> wait;
  std::uint64_t limit = 0;
  std::string streams;
  std::string path;
  std::string command;
  Inner inner;
};

Command tool() {
  return {.name = "tool",
          .text = {"does things", "做事"},
          .commands = {
              {.name = "run",
               .text = {"Run it; it's \"good\" [really]: yes", "运行"},
               .options =
                   {{.name = "--mode",
                     .kind = Kind::word,
                     .field = into<&RunOptions::offline>,
                     .initial = "online",
                     .choices = {"online", "offline"},
                     .level = Level::basic,
                     .text = {"How -- .and\n.where", "方式"}},
                    {.name = "--speed",
                     .kind = Kind::word,
                     .field = into<&RunOptions::speed>,
                     .choices = {"slow", "fast"},
                     .needs = "--mode offline"},
                    {.name = "--write",
                     .letter = 'w',
                     .field = into<&RunOptions::write>,
                     .excludes = "--speed",
                     .text = {"Write it", "写"}},
                    {.name = "--secret", .field = into<&RunOptions::write>, .level = Level::hidden},
                    {.name = "--repeat",
                     .kind = Kind::integer,
                     .field = into<&RunOptions::repeat>,
                     .initial = "3",
                     .range = {1, 10000}},
                    {.name = "--confirm",
                     .kind = Kind::integer,
                     .field = into<&RunOptions::confirm>,
                     .range = {2, 9},
                     .implied = "5"},
                    {.name = "--timeout",
                     .kind = Kind::seconds,
                     .field = into<&RunOptions::timeout>,
                     .initial = "30m",
                     .range = {0, 1e9}},
                    {.name = "--wait", .kind = Kind::seconds, .field = into<&RunOptions::wait>},
                    {.name = "--limit",
                     .kind = Kind::size,
                     .field = into<&RunOptions::limit>,
                     .initial = "64MB"},
                    {.name = "--streams",
                     .kind = Kind::list,
                     .field = into<&RunOptions::streams>,
                     .initial = "2,4"},
                    {.name = "--steps",
                     .kind = Kind::integer,
                     .field = into<&RunOptions::inner, &Inner::steps>},
                    {.name = "--dir", .kind = Kind::path, .field = into<&RunOptions::path>},
                    {.name = "--run-command",
                     .kind = Kind::command,
                     .field = into<&RunOptions::command>}},
               .program = into<&RunOptions::command>},
              {.name = "look",
               .text = {"Look at it", "看"},
               .options = {{.name = "inputs",
                            .kind = Kind::path,
                            .field = into<&RunOptions::inputs>,
                            .value = "DIR",
                            .required = true,
                            .repeatable = true},
                           {.name = "--interval",
                            .kind = Kind::seconds,
                            .field = into<&RunOptions::timeout>}}}}};
}

using Typed = std::vector<std::string>;

RunOptions options_of(const Typed& words) {
  const Command program = tool();
  return parse(program, words, {"/home/u"}).options<RunOptions>();
}

// The id of what is wrong, and the line that would have worked ("" where none is known).
struct Answer {
  std::string id;
  std::string line;
};

Answer answer(const Typed& words) {
  const Command program = tool();
  try {
    static_cast<void>(parse(program, words, {"/home/u"}));
  } catch (const Error& error) {
    const std::string& text = error.message().text;
    const auto found = text.find("\n  try: tool ");
    return {error.message().inner.at(0).id,
            found == std::string::npos ? "" : text.substr(found + 13)};
  }
  return {"none", ""};
}

TEST_CASE("cli: fields have their initial values, and over them what was given") {
  const RunOptions plain = options_of({"run"});
  CHECK_FALSE(plain.offline);
  CHECK(plain.repeat == 3);
  CHECK(plain.confirm == 0);
  CHECK(plain.timeout == std::chrono::minutes(30));
  CHECK_FALSE(plain.wait.has_value());
  CHECK(plain.limit == std::uint64_t{64} << 20U);
  const RunOptions full = options_of({"run", "--mode=offline", "--speed", "fast", "--repeat", "10",
                                      "--confirm", "--wait", "1.5", "--steps", "7", "--dir=~/x"});
  CHECK(full.offline);
  CHECK(full.speed == Speed::fast);
  CHECK(full.repeat == 10);
  CHECK(full.confirm == 5);
  CHECK(full.wait == std::chrono::milliseconds(1500));
  CHECK(full.inner.steps == 7U);
  CHECK(full.path == "/home/u/x");
  CHECK(options_of({"run", "--confirm", "2", "-w"}).confirm == 2);
  CHECK(options_of({"run", "--confirm=2", "-w"}).write);
  CHECK(options_of({"--lang", "en", "look", "a", "b"}).inputs == Typed{"a", "b"});
}

TEST_CASE("cli: the words behind -- are a program, quoted as for a shell") {
  CHECK(options_of({"run", "--", "python3", "a b.py", "--repeat", "7"}).command ==
        "python3 'a b.py' --repeat 7");
  CHECK(options_of({"run", "--", "python3", "--", "x"}).repeat == 3);
}

TEST_CASE("cli: times are read as people write them") {
  for (const auto& [text, seconds] :
       std::vector<std::pair<const char*, double>>{{"90", 90},
                                                   {"90s", 90},
                                                   {"30m", 1800},
                                                   {"2h", 7200},
                                                   {"1.5h", 5400},
                                                   {"2h30m", 9000},
                                                   {"250ms", 0.25},
                                                   {"1 h", 3600},
                                                   {"0", 0},
                                                   {"30min", 1800},
                                                   {"30分钟", 1800}}) {
    CAPTURE(text);
    double read = -1;
    CHECK(read_seconds(text, read));
    CHECK(read == doctest::Approx(seconds));
  }
  for (const char* text : {"", "m", "5x", "30m5", "1:30", "-1", "1e3", "ten"}) {
    CAPTURE(text);
    double read = 0;
    CHECK_FALSE(read_seconds(text, read));
  }
}

TEST_CASE("cli: sizes go in steps of 1024, with any way of writing the unit") {
  for (const auto& [text, bytes] :
       std::vector<std::pair<const char*, std::uint64_t>>{{"512", 512},
                                                          {"1k", 1024},
                                                          {"1KB", 1024},
                                                          {"64MiB", 67108864},
                                                          {"1.5 GB", 1610612736}}) {
    CAPTURE(text);
    CHECK(options_of({"run", "--limit", text}).limit == bytes);
  }
  CHECK(answer({"run", "--limit", "64mega"}).line == "run --limit 64MB");
  CHECK(answer({"run", "--limit", "64gigabytes"}).line == "run --limit 64GB");
}

TEST_CASE("cli: numbers are shown as people write them") {
  CHECK(number_text(999) == "999");
  CHECK(number_text(1000) == "1,000");
  CHECK(number_text(1e9) == "1,000,000,000");
  CHECK(number_text(0.1) == "0.1");
  CHECK(number_text(-1234) == "-1,234");
}

TEST_CASE("cli: the marks of an input method are those of a keyboard") {
  CHECK(plain_marks("２，４：“x”—　、") == "2,4:\"x\"- ,");
  CHECK(plain_marks("模型 a,b") == "模型 a,b");
  CHECK(options_of({"run", "--streams", "2，4"}).streams == "2,4");
  CHECK(answer({"run", "－－repeat", "3"}).line == "run --repeat 3");
  CHECK(answer({"run", "—repeat", "3"}).line == "run --repeat 3");
}

TEST_CASE("cli: a word is near when few keys are wrong") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("repaet", "repeat") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
  const std::vector<std::string_view> known{"--repeat", "--retries", "--run-command"};
  CHECK(nearest("--repaet", known) == "--repeat");
  CHECK(nearest("--run_command", known) == "--run-command");
  CHECK(nearest("--RUN-COMMAND", known) == "--run-command");
  CHECK(nearest("--colour", known).empty());
}

TEST_CASE("cli: a mistake is answered with the line that would have worked") {
  struct Case {
    Typed words;
    const char* id;
    const char* line;
  };
  for (const Case& each : std::vector<Case>{
           {{"rnu"}, "options.unknown_command_near", "run"},
           {{"run", "--repaet", "3"}, "options.unknown_option_near", "run --repeat 3"},
           {{"run", "-repeat=3"}, "options.unknown_option_near", "run --repeat=3"},
           {{"run", "--mode", "ofline"}, "options.bad_choice", "run --mode offline"},
           {{"run", "--mode=ofline"}, "options.bad_choice", "run --mode=offline"},
           {{"run", "--repeat", "0"}, "options.bad_number", "run --repeat 1"},
           {{"run", "--repeat", "20,000"}, "options.bad_number", "run --repeat 10000"},
           {{"run", "--repeat", "-1"}, "options.bad_number", "run --repeat 1"},
           {{"run", "--repeat"}, "options.value_missing", "run --repeat 3"},
           {{"run", "--repeat", "--write"}, "options.value_missing", "run --repeat 3 --write"},
           {{"run", "--timeout", "30", "m"}, "options.unknown_argument", "run --timeout 30m"},
           {{"run", "--streams", "2,", "4"}, "options.unknown_argument", "run --streams 2,4"},
           {{"run", "--streams", "2", "4"}, "options.unknown_argument", "run --streams 2,4"},
           {{"run", "--repeat", "1", "--repeat", "2"}, "options.twice", "run --repeat 2"},
           {{"run", "--speed", "fast"}, "options.needs", "run --speed fast --mode offline"},
           {{"run", "--write", "--speed", "fast", "--mode", "offline"},
            "options.excludes",
            "run --write --mode offline"},
           {{"--repeat", "3", "run"}, "options.before_command", "run --repeat 3"},
           {{"--repeat", "3"}, "options.no_command", "run --repeat 3"},
           {{"run", "--write=yes"}, "options.no_value", "run --write"},
           {{"run", "python3", "x.py"}, "options.no_dashes", "run -- python3 x.py"},
           {{"run", "--run-command", "python3", "x.py", "--colour", "7", "--repeat", "2"},
            "options.outside_quotes",
            "run --run-command 'python3 x.py --colour 7' --repeat 2"},
           {{"run", "--run-command", "“python3", "x.py”"},
            "options.outside_quotes",
            "run --run-command 'python3 x.py'"},
           {{"run", "--repaet", "3", "--mode", "ofline"},
            "options.unknown_option_near",
            "run --repeat 3 --mode offline"},
           {{"run", "--run-command", "a", "--", "b"}, "options.program_twice", "run -- b"}}) {
    CAPTURE(each.words);
    const Answer given = answer(each.words);
    CHECK(given.id == each.id);
    CHECK(given.line == each.line);
  }
  CHECK(answer({"run", "--interval", "3"}).id == "options.of_another_command");
  CHECK(answer({"look", "--interval", "3"}).id == "options.required");
}

TEST_CASE("cli: a file sets options by their names, and what is typed wins") {
  Command program = tool();
  program.commands.front().options.push_back(
      {.name = "--file", .letter = 'f', .kind = Kind::path, .set_by = SetBy::line});
  program.commands.front().settings_from = "--file";
  const auto with_file = [&](const std::string& text, const Typed& more) {
    Typed words{"run", "-f", "t.toml"};
    words.insert(words.end(), more.begin(), more.end());
    return parse(program, words, {"/home/u", [&](const std::string&) { return text; }});
  };
  const Line line = with_file(
      "repeat = 7\nmode = \"offline\"\nwrite = true\n"
      "run-command = \"python3 -c 'print(\\\"x\\\")'\"\n",
      {"--repeat", "8"});
  const auto options = line.options<RunOptions>();
  CHECK(options.repeat == 8);
  CHECK(options.offline);
  CHECK(options.write);
  CHECK(options.command == "python3 -c 'print(\"x\")'");
  CHECK(with_file(settings_text(line), {}).options<RunOptions>().command == options.command);
  CHECK(with_file("run-command = 'a'", {"--", "b"}).options<RunOptions>().command == "b");
  const auto error_of = [&](const std::string& text) {
    try {
      static_cast<void>(with_file(text, {}));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(error_of("repeat = 3\nrepaet = 7\n") ==
        "t.toml:2: there is no option repaet; did you mean repeat?");
  CHECK(error_of("repeat = 0").starts_with("t.toml:1: invalid --repeat \"0\""));
  CHECK(error_of("repeat = 3\nrepeat 7\n").starts_with("t.toml:2:8: "));
  CHECK(error_of("file = 'x'").starts_with("t.toml:1: there is no option file"));
}

TEST_CASE("cli: help is for who asks, and for who says too little") {
  const Command program = tool();
  const auto wants = [&](const Typed& words) { return parse(program, words, {}).wants; };
  CHECK(wants({}) == Wants::help);
  CHECK(wants({"-h"}) == Wants::help);
  CHECK(wants({"run", "-h"}) == Wants::help);
  CHECK(wants({"run", "--help-all"}) == Wants::help_all);
  CHECK(wants({"run", "--colour", "-h"}) == Wants::help);
  CHECK(wants({"look"}) == Wants::usage);
  CHECK(wants({"--version"}) == Wants::version);
  CHECK(wants({"run"}) == Wants::work);
}

TEST_CASE("cli: help shows basic options, and with all those behind them") {
  const Command program = tool();
  const std::vector<const Command*> run{&program, &program.commands.front()};
  const std::string some = help(run, false);
  CHECK(some.starts_with("Usage: tool run [OPTIONS] -- PROGRAM ARGUMENTS...\n"));
  CHECK(some.find("--mode online|offline") != std::string::npos);
  CHECK(some.find("(default: online)") != std::string::npos);
  CHECK(some.find("--repeat") == std::string::npos);
  const std::string all = help(run, true);
  CHECK(all.find("--confirm [N]") != std::string::npos);
  CHECK(all.find("-w, --write") != std::string::npos);
  CHECK(all.find("--secret") == std::string::npos);
}

TEST_CASE("cli: a man page keeps hyphens, and no text becomes a request") {
  const std::string page = man_page(tool(), "tool 1.0");
  CHECK(page.starts_with(".TH tool 1 \"\" \"tool 1.0\"\n"));
  CHECK(page.find(".SH tool run\n") != std::string::npos);
  CHECK(page.find("\\fB\\-\\-mode\\fR\\fI online|offline\\fR\nHow \\-\\- .and\n\\&.where") !=
        std::string::npos);
  CHECK(page.find("\\fBtool look\\fR [\\fIOPTIONS\\fR] \\fIDIR...\\fR") != std::string::npos);
  CHECK(page.find("secret") == std::string::npos);
}

TEST_CASE("cli: the page of options has a row for each, bars inside of cells escaped") {
  const std::string page = options_page(tool());
  CHECK(page.find("## `tool run`") != std::string::npos);
  CHECK(page.find("| `--mode online\\|offline` |") != std::string::npos);
  CHECK(page.find("secret") == std::string::npos);
}

}  // namespace
}  // namespace mstune::cli
