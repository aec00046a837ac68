#include "coordinator/commands/manual_commands.h"

#include <ostream>
#include <string>
#include <vector>

#include "common/cli/help.h"
#include "common/version.h"

namespace mstune::coordinator {
namespace {

struct ManualOptions {
  bool zsh = false;
  bool markdown = false;
  std::vector<std::string> words;  // of help
};

}  // namespace

Subcommand completion_command() {
  return {{.name = "completion",
           .text = {"Print what completes words in a shell", "打印供 shell 补全命令行的脚本"},
           .options = {{.name = "shell",
                        .kind = cli::Kind::word,
                        .field = cli::into<&ManualOptions::zsh>,
                        .choices = {"bash", "zsh"},
                        .level = cli::Level::basic,
                        .required = true,
                        .text = {"The shell", "所用的 shell"}}}},
          [](const cli::Line& line, World& world) {
            const cli::Command& program = *line.commands.front();
            world.out << (line.options<ManualOptions>().zsh ? cli::zsh_completion(program)
                                                            : cli::bash_completion(program));
            return 0;
          }};
}

Subcommand man_command() {
  return {{.name = "man",
           .text = {"Print the man page", "打印手册页"},
           .options = {{.name = "--markdown",
                        .field = cli::into<&ManualOptions::markdown>,
                        .level = cli::Level::basic,
                        .text = {"Print tables of all options in Markdown instead",
                                 "改为打印 Markdown 格式的全部选项表"}}}},
          [](const cli::Line& line, World& world) {
            const cli::Command& program = *line.commands.front();
            world.out << (line.options<ManualOptions>().markdown
                              ? cli::options_page(program)
                              : cli::man_page(program, std::string("mstune ") + kVersion));
            return 0;
          }};
}

Subcommand help_command() {
  return {{.name = "help",
           .text = {"Show what a command does", "显示命令的用法"},
           .options = {{.name = "command",
                        .kind = cli::Kind::text,
                        .field = cli::into<&ManualOptions::words>,
                        .value = "COMMAND",
                        .level = cli::Level::basic,
                        .repeatable = true,
                        .text = {"Which one (default: all, a line each)",
                                 "哪个命令（默认：全部，各一行）"}}}},
          [](const cli::Line& line, World& world) {
            std::vector<std::string> words = line.options<ManualOptions>().words;
            words.emplace_back("--help");
            const cli::Line asked = cli::parse(*line.commands.front(), words, {});
            world.out << cli::help(asked.commands, false);
            return 0;
          }};
}

}  // namespace mstune::coordinator
