#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/cli/help.h"

namespace mstune::cli {
namespace {

// "mstune-agent" → "mstune_agent": a name that shells allow for a function.
std::string function_name(std::string_view program) {
  std::string name;
  for (const char c : program) {
    name += c == '-' ? '_' : c;
  }
  return name;
}

// As they stand in a line: "-h", "--help". Those of all commands stand behind its own.
std::vector<std::string> words_of(const Option& option) {
  std::vector<std::string> names;
  if (option.letter != 0) {
    names.push_back(std::string("-") + option.letter);
  }
  names.emplace_back(option.name);
  return names;
}

// Those that are shown.
std::vector<const Option*> options_of(const Command& command) {
  std::vector<const Option*> shown;
  for (const Option* option : all_options(command)) {
    if (option->level != Level::hidden) {
      shown.push_back(option);
    }
  }
  return shown;
}

// The names of its parts ("pass install"), its options and those of its parts.
std::string option_words(const Command& command) {
  std::vector<std::string> words;
  for (const Command& part : command.commands) {
    words.emplace_back(part.name);
    words.push_back(option_words(part));
  }
  for (const Option* option : options_of(command)) {
    if (!is_positional(*option)) {
      const auto names = words_of(*option);
      words.insert(words.end(), names.begin(), names.end());
    }
  }
  return fmt::format("{}", fmt::join(words, " "));
}

// Branches of `case "$command $previous"`: the values of options that have few.
void add_choices(std::string& text, std::string_view name, const Command& command) {
  for (const Option* option : options_of(command)) {
    if (option->choices.empty() || is_positional(*option)) {
      continue;
    }
    for (const std::string& word : words_of(*option)) {
      text += fmt::format("    \"{} {}\") words=\"{}\" ;;\n", name, word,
                          fmt::join(option->choices, " "));
    }
  }
}

// Positional arguments that have choices are completed where no option is being written.
std::string positional_words(const Command& command) {
  std::string words;
  for (const Option& option : command.options) {
    if (is_positional(option)) {
      for (const std::string_view choice : option.choices) {
        words += " " + std::string(choice);
      }
    }
  }
  return words;
}

// Text inside single quotes of zsh, where brackets and colons mean something to _arguments.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else if (c == '[' || c == ']' || c == ':' || c == '\\') {
      result += '\\';
      result += c;
    } else {
      result += c;
    }
  }
  return result;
}

std::string zsh_argument(const Option& option) {
  const std::string values =
      option.choices.empty() ? "_files" : fmt::format("({})", fmt::join(option.choices, " "));
  if (is_positional(option)) {
    return fmt::format("      '{}:{}:{}' \\\n", option.repeatable ? "*" : "",
                       zsh_text(value_word(option)), values);
  }
  std::string text;
  for (const std::string& name : words_of(option)) {
    text += fmt::format("      '{}[{}]{}' \\\n", name, zsh_text(said(option.text)),
                        option.kind == Kind::flag ? "" : ":value:" + values);
  }
  return text;
}

void add_zsh_arguments(std::string& text, const Command& command) {
  text += "    _arguments \\\n";
  if (!command.commands.empty()) {
    text += fmt::format("      '1:command:({})' \\\n", fmt::join(command_names(command), " "));
  }
  for (const Command& part : command.commands) {
    for (const Option* option : options_of(part)) {
      text += zsh_argument(*option);
    }
  }
  for (const Option* option : options_of(command)) {
    text += zsh_argument(*option);
  }
  text += "      && return 0\n";
}

}  // namespace

std::string bash_completion(const Command& program) {
  const std::string function = function_name(program.name);
  std::string text =
      fmt::format("# Completion of {} for bash.\n_{}() {{\n", program.name, function);
  text +=
      "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"\" command=\"\" words=\"\" word\n"
      "  [ \"$COMP_CWORD\" -gt 0 ] && previous=\"${COMP_WORDS[COMP_CWORD - 1]}\"\n";
  const std::string names = fmt::format("{}", fmt::join(command_names(program), " "));
  text += fmt::format(
      "  for word in \"${{COMP_WORDS[@]:1:COMP_CWORD - 1}}\"; do\n"
      "    case \" {} \" in\n"
      "      *\" $word \"*) command=\"$word\"; break ;;\n"
      "    esac\n"
      "  done\n",
      names);
  text += "  case \"$command\" in\n";
  for (const Command& command : program.commands) {
    text += fmt::format("    {}) words=\"{}{}\" ;;\n", command.name, option_words(command),
                        positional_words(command));
  }
  text += fmt::format("    *) words=\"{}{}{}\" ;;\n  esac\n", names, names.empty() ? "" : " ",
                      option_words({.name = program.name, .text = {}, .options = program.options}));
  text += "  case \"$command $previous\" in\n";
  add_choices(text, "", program);
  for (const Command& command : program.commands) {
    add_choices(text, command.name, command);
  }
  text +=
      "  esac\n"
      "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
      "}\n";
  text += fmt::format("complete -o default -F _{} {}\n", function, program.name);
  return text;
}

std::string zsh_completion(const Command& program) {
  std::string text =
      fmt::format("#compdef {}\n# Completion of {} for zsh.\n", program.name, program.name);
  text += "local -a commands\ncommands=(\n";
  for (const Command& command : program.commands) {
    text += fmt::format("  '{}:{}'\n", command.name, zsh_text(said(command.text)));
  }
  text += ")\nlocal word command=\"\"\n";
  text += fmt::format(
      "for word in ${{words[2,CURRENT-1]}}; do\n"
      "  if [[ \" {} \" == *\" $word \"* ]]; then command=$word; break; fi\n"
      "done\n",
      fmt::join(command_names(program), " "));
  text += "case $command in\n";
  for (const Command& command : program.commands) {
    text += fmt::format("  {})\n    shift words; (( CURRENT-- ))\n", command.name);
    add_zsh_arguments(text, command);
    text += "    ;;\n";
  }
  text += "  *)\n";
  if (!program.commands.empty()) {
    text += "    [[ $words[CURRENT] != -* ]] && _describe command commands && return 0\n";
  }
  add_zsh_arguments(text, {.name = program.name, .text = {}, .options = program.options});
  return text + "    ;;\nesac\n";
}

}  // namespace mstune::cli
