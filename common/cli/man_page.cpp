#include <fmt/format.h>

#include "common/cli/description.h"

namespace mstune::cli {
namespace {

// Text as roff prints it: no request at the beginning of a line, no escape, no hyphen that would
// become another character.
std::string roff(const std::string& text) {
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

std::string value_of(const OptionDescription& option) {
  if (!option.choices.empty()) {
    return fmt::format("{}", fmt::join(option.choices, "|"));
  }
  return "VALUE";
}

std::string option_head(const OptionDescription& option) {
  std::string head;
  for (const std::string& name : option.names) {
    head += (head.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  }
  return option.takes_value && !option.positional ? head + " \\fI" + roff(value_of(option)) + "\\fR"
                                                  : head;
}

void add_options(std::string& page, const CommandDescription& command) {
  for (const OptionDescription& option : command.options) {
    page += ".TP\n" + option_head(option) + "\n" + roff(option.text) + "\n";
    if (option.required) {
      page += "Required.\n";
    }
    if (!option.standard.empty()) {
      page += "Default: " + roff(option.standard) + "\n";
    }
  }
}

std::string synopsis(const std::string& words, const CommandDescription& command) {
  std::string text = "\\fB" + roff(words) + "\\fR [\\fIOPTIONS\\fR]";
  for (const OptionDescription& option : command.options) {
    if (option.positional) {
      text += " \\fI" + roff(option.names.front()) + (option.repeatable ? "...\\fR" : "\\fR");
    }
  }
  return text;
}

void add_synopsis(std::string& page, const std::string& words, const CommandDescription& command) {
  if (command.commands.empty()) {
    page += synopsis(words, command) + "\n.br\n";
  }
  for (const CommandDescription& part : command.commands) {
    add_synopsis(page, words + " " + part.name, part);
  }
}

// A section for each command; parts of one follow it.
void add_commands(std::string& page, const std::string& words, const CommandDescription& program) {
  for (const CommandDescription& command : program.commands) {
    const std::string name = words + " " + command.name;
    page += fmt::format(".SH {}\n{}\n", roff(name), roff(command.text));
    add_options(page, command);
    add_commands(page, name, command);
  }
}

}  // namespace

std::string man_page(const CommandDescription& program, const std::string& version) {
  std::string page = fmt::format(".TH {} 1 \"\" \"{}\"\n", roff(program.name), roff(version));
  page += ".SH NAME\n" + roff(program.name) + " \\- " + roff(program.text) + "\n";
  page += ".SH SYNOPSIS\n";
  add_synopsis(page, program.name, program);
  page += ".SH OPTIONS\n";
  add_options(page, program);
  add_commands(page, program.name, program);
  page +=
      ".SH EXIT STATUS\n0: done. 1: no candidate has data. 2: bad arguments or environment. "
      "130: interrupted.\n";
  return page;
}

}  // namespace mstune::cli
