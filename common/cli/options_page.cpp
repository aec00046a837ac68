#include <fmt/format.h>

#include "common/cli/help.h"
#include "common/cli/shown.h"
#include "common/language.h"

namespace mstune::cli {
namespace {

// In a cell of a table a bar ends it.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) {
    result += c == '|' ? "\\|" : std::string(1, c);
  }
  return result;
}

std::string row_of(const Option& option) {
  return fmt::format("| `{}` | {} |\n", cell(names_and_value(option)), cell(full_text(option)));
}

void add_command(std::string& page, const std::string& words, const Command& command) {
  page += fmt::format("\n## `{}`\n\n{}\n", words, said(command.text));
  for (const std::string_view example : command.examples) {
    page += fmt::format("\n    {}\n", example);
  }
  for (const Text& group : groups_of(command)) {
    std::string rows;
    for (const Option& option : command.options) {
      if (option.group == group && option.level != Level::hidden) {
        rows += row_of(option);
      }
    }
    if (!rows.empty()) {
      page += fmt::format("\n| {} | |\n|---|---|\n{}", said(group), rows);
    }
  }
  for (const Command& part : command.commands) {
    add_command(page, words + " " + std::string(part.name), part);
  }
}

}  // namespace

std::string options_page(const Command& program) {
  std::string page;
  add_command(page, std::string(program.name), program);
  page +=
      fmt::format("\n| {} | |\n|---|---|\n", said(message("options.of_all", "With every command")));
  for (const Option& option : shared_options()) {
    page += row_of(option);
  }
  return page.substr(1);
}

}  // namespace mstune::cli
