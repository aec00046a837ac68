#include "common/cli/help.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/cli/shown.h"
#include "common/display_width.h"
#include "common/language.h"

namespace mstune::cli {
namespace {

constexpr std::size_t kLineWidth = 100;
constexpr std::size_t kLeftWidthMax = 32;  // of names, before their texts begin

struct Entry {
  std::string left;
  std::string text;
};

// Breaks at blanks, and inside of text that has none (Chinese) where the line is full.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (display_width(text) > width) {
    std::string_view line = cut_to_width(text, width);
    const auto blank = line.rfind(' ');
    const bool breaks_at_blank = blank != line.npos && blank > line.size() / 2;
    line = breaks_at_blank ? line.substr(0, blank) : line;
    lines.emplace_back(line);
    text.remove_prefix(line.size() + (breaks_at_blank ? 1 : 0));
  }
  lines.emplace_back(text);
  return lines;
}

void add_entries(std::string& help, const std::vector<Entry>& entries) {
  std::size_t left = 0;
  for (const Entry& entry : entries) {
    const std::size_t width = display_width(entry.left);
    left = std::max(left, width <= kLeftWidthMax ? width : 0);
  }
  for (const Entry& entry : entries) {
    help += "  " + padded_right(entry.left, left);
    bool first = display_width(entry.left) <= left;
    for (const std::string& line : wrapped(entry.text, kLineWidth - left - 4)) {
      help += first ? "  " + line : "\n" + std::string(left + 4, ' ') + line;
      first = false;
    }
    help += '\n';
  }
}

bool is_shown(const Option& option, bool all) {
  return option.level == Level::basic || (all && option.level == Level::more);
}

std::string usage(std::span<const Command* const> commands) {
  std::string words;
  for (const Command* command : commands) {
    words += (words.empty() ? "" : " ") + std::string(command->name);
  }
  const Command& command = *commands.back();
  words += command.commands.empty() ? "" : said(message("help.command_word", " COMMAND"));
  words += said(message("help.options_word", " [OPTIONS]"));
  for (const Option& option : command.options) {
    if (is_positional(option)) {
      const std::string name = value_word(option) + (option.repeatable ? "..." : "");
      words += option.required ? " " + name : " [" + name + "]";
    }
  }
  return words + (command.program.store == nullptr ? "" : " -- PROGRAM ARGUMENTS...");
}

void add_heading(std::string& help, std::string_view heading) {
  help += fmt::format("\n{}{}\n", heading, spoken() == Language::chinese ? "：" : ":");
}

void add_examples(std::string& help, const Command& command) {
  if (command.examples.empty()) {
    return;
  }
  add_heading(help, said(message("help.examples", "Examples")));
  for (const std::string_view example : command.examples) {
    help += fmt::format("  {}\n", example);
  }
}

void add_groups(std::string& help, const Command& command, bool all) {
  for (const Text& group : groups_of(command)) {
    std::vector<Entry> entries;
    for (const Option* option : all_options(command)) {
      if (option->group == group && is_shown(*option, all)) {
        entries.push_back(
            {names_and_value(*option), all ? full_text(*option) : short_text(*option)});
      }
    }
    if (!entries.empty()) {
      add_heading(help, group.empty() ? said(message("help.options", "Options"))
                                      : std::string(said(group)));
      add_entries(help, entries);
    }
  }
}

}  // namespace

std::string help(std::span<const Command* const> commands, bool all) {
  const Command& command = *commands.back();
  std::string help = said(message("help.usage", "Usage: {}", usage(commands))) + "\n\n" +
                     std::string(said(command.text)) + "\n";
  add_examples(help, command);
  if (!command.commands.empty()) {
    add_heading(help, said(message("help.commands", "Commands")));
    std::vector<Entry> entries;
    for (const Command& part : command.commands) {
      entries.push_back({std::string(part.name), std::string(said(part.text))});
    }
    add_entries(help, entries);
  }
  add_groups(help, command, all);
  return help;
}

}  // namespace mstune::cli
