#include <fmt/format.h>

#include "common/cli/help.h"
#include "common/cli/shown.h"

namespace mstune::cli {
namespace {

// Text as roff prints it: no request at the beginning of a line, no escape, no hyphen that would
// become another character.
std::string roff(std::string_view text) {
  std::string result;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) {
      result += "\\&";
    }
    line_begins = c == '\n';
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

void add_options(std::string& page, const std::vector<Option>& options) {
  for (const Option& option : options) {
    if (option.level == Level::hidden) {
      continue;
    }
    const std::string names = names_and_value(option);
    const auto value_begin =
        option.kind == Kind::flag || is_positional(option) ? names.size() : names.rfind(' ');
    page += fmt::format(".TP\n\\fB{}\\fR\\fI{}\\fR\n{}\n", roff(names.substr(0, value_begin)),
                        roff(names.substr(value_begin)), roff(full_text(option)));
  }
}

std::string synopsis(const std::string& words, const Command& command) {
  std::string text = "\\fB" + roff(words) + "\\fR [\\fIOPTIONS\\fR]";
  for (const Option& option : command.options) {
    if (is_positional(option)) {
      text += " \\fI" + roff(value_word(option)) + (option.repeatable ? "...\\fR" : "\\fR");
    }
  }
  return text;
}

void add_synopsis(std::string& page, const std::string& words, const Command& command) {
  if (command.commands.empty()) {
    page += synopsis(words, command) + "\n.br\n";
  }
  for (const Command& part : command.commands) {
    add_synopsis(page, words + " " + std::string(part.name), part);
  }
}

// A section for each command; parts of one follow it.
void add_commands(std::string& page, const std::string& words, const Command& program) {
  for (const Command& command : program.commands) {
    const std::string name = words + " " + std::string(command.name);
    page += fmt::format(".SH {}\n{}\n", roff(name), roff(said(command.text)));
    add_options(page, command.options);
    add_commands(page, name, command);
  }
}

}  // namespace

std::string man_page(const Command& program, std::string_view version) {
  std::string page = fmt::format(".TH {} 1 \"\" \"{}\"\n", roff(program.name), roff(version));
  page += ".SH NAME\n" + roff(program.name) + " \\- " + roff(said(program.text)) + "\n";
  page += ".SH SYNOPSIS\n";
  add_synopsis(page, std::string(program.name), program);
  page += ".SH OPTIONS\n";
  add_options(page, program.options);
  add_options(page, shared_options());
  add_commands(page, std::string(program.name), program);
  page +=
      ".SH EXIT STATUS\n0: done. 1: no candidate has data. 2: bad arguments or environment. "
      "130: interrupted.\n";
  return page;
}

}  // namespace mstune::cli
