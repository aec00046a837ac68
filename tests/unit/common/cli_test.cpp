#include <CLI/CLI.hpp>
#include <doctest/doctest.h>

#include "common/cli/describe.h"

namespace mstune::cli {
namespace {

struct Line {
  std::string mode = "online";
  std::vector<std::string> inputs;
  bool write = false;
  CLI::App app{"tool: does things", "tool"};

  Line() {
    CLI::App* run = app.add_subcommand("run", "Run it; it's \"good\" [really]: yes");
    run->add_option("--mode", mode, "How -- .and\n.where")
        ->capture_default_str()
        ->check(CLI::IsMember({"online", "offline"}));
    run->add_flag("-w,--write", write, "Write it");
    run->add_flag("--secret", write, "Nobody sees this")->group("");
    run->add_option("inputs", inputs, "What to read")->required();
    app.add_subcommand("look", "Look at it");
  }
};

TEST_CASE("cli: a command line describes itself, hidden options left out") {
  const Line line;
  const CommandDescription tool = describe(line.app);
  CHECK(tool.name == "tool");
  REQUIRE(tool.commands.size() == 2);
  const auto& options = tool.commands[0].options;
  REQUIRE(options.size() == 4);  // --help, too
  CHECK(options[1].names == std::vector<std::string>{"--mode"});
  CHECK(options[1].choices == std::vector<std::string>{"online", "offline"});
  CHECK(options[1].standard == "online");
  CHECK(options[1].takes_value);
  CHECK(options[2].names == std::vector<std::string>{"-w", "--write"});
  CHECK_FALSE(options[2].takes_value);
  CHECK(options[3].positional);
  CHECK(options[3].required);
  CHECK(options[3].repeatable);
}

TEST_CASE("cli: a man page keeps hyphens, and no text becomes a request") {
  const Line line;
  const std::string page = man_page(describe(line.app), "tool 1.0");
  CHECK(page.starts_with(".TH tool 1 \"\" \"tool 1.0\"\n"));
  CHECK(page.find(".SH tool run\n") != std::string::npos);
  CHECK(page.find("\\fB\\-\\-mode\\fR \\fIonline|offline\\fR\nHow \\-\\- .and\n\\&.where\n") !=
        std::string::npos);
  CHECK(page.find("\\fBtool run\\fR [\\fIOPTIONS\\fR] \\fIinputs...\\fR") != std::string::npos);
  CHECK(page.find("secret") == std::string::npos);
}

TEST_CASE("cli: a catalogue replaces descriptions, and its ids can be listed") {
  Line line;
  translate(line.app, Catalogue::parse("help.tool = 工具\nhelp.run.--mode = 方式\n"
                                       "help.--help = 帮助\nhelp.usage = 用法\n"));
  const std::string help = line.app.get_subcommand("run")->help();
  CHECK(help.find("方式") != std::string::npos);
  CHECK(help.find("帮助") != std::string::npos);
  CHECK(line.app.help().find("用法:") != std::string::npos);
  CHECK(help_ids(describe(line.app)) ==
        std::vector<std::string>{"help.--help", "help.look", "help.run", "help.run.--mode",
                                 "help.run.--write", "help.run.inputs", "help.tool"});
}

}  // namespace
}  // namespace mstune::cli
