#include <fmt/format.h>

#include "common/cli/description.h"

namespace mstune::cli {
namespace {

// "mstune-agent" → "mstune_agent": a name that shells allow for a function.
std::string function_name(const std::string& program) {
  std::string name;
  for (const char c : program) {
    name += c == '-' ? '_' : c;
  }
  return name;
}

// The names of its parts ("pass install"), its options and those of its parts.
std::string option_words(const CommandDescription& command) {
  std::vector<std::string> words;
  for (const CommandDescription& part : command.commands) {
    words.push_back(part.name);
    words.push_back(option_words(part));
  }
  for (const OptionDescription& option : command.options) {
    if (!option.positional) {
      words.insert(words.end(), option.names.begin(), option.names.end());
    }
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<std::string> command_names(const CommandDescription& program) {
  std::vector<std::string> names;
  for (const CommandDescription& command : program.commands) {
    names.push_back(command.name);
  }
  return names;
}

// Branches of `case "$command $previous"`: the values of options that have few.
void add_choices(std::string& text, const std::string& name, const CommandDescription& command) {
  for (const OptionDescription& option : command.options) {
    if (option.choices.empty() || option.positional) {
      continue;
    }
    for (const std::string& word : option.names) {
      text += fmt::format("    \"{} {}\") words=\"{}\" ;;\n", name, word,
                          fmt::join(option.choices, " "));
    }
  }
}

// Positional arguments that have choices are completed where no option is being written.
std::string positional_words(const CommandDescription& command) {
  std::string words;
  for (const OptionDescription& option : command.options) {
    if (option.positional) {
      for (const std::string& choice : option.choices) {
        words += " " + choice;
      }
    }
  }
  return words;
}

// Text inside single quotes of zsh, where brackets and colons mean something to _arguments.
std::string zsh_text(const std::string& text) {
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

std::string zsh_argument(const OptionDescription& option) {
  const std::string values =
      option.choices.empty() ? "_files" : fmt::format("({})", fmt::join(option.choices, " "));
  if (option.positional) {
    return fmt::format("      '{}:{}:{}' \\\n", option.repeatable ? "*" : "",
                       zsh_text(option.names.front()), values);
  }
  std::string text;
  for (const std::string& name : option.names) {
    text += fmt::format("      '{}[{}]{}' \\\n", name, zsh_text(option.text),
                        option.takes_value ? ":value:" + values : "");
  }
  return text;
}

void add_zsh_arguments(std::string& text, const CommandDescription& command) {
  text += "    _arguments \\\n";
  if (!command.commands.empty()) {
    text += fmt::format("      '1:command:({})' \\\n", fmt::join(command_names(command), " "));
  }
  for (const CommandDescription& part : command.commands) {
    for (const OptionDescription& option : part.options) {
      text += zsh_argument(option);
    }
  }
  for (const OptionDescription& option : command.options) {
    text += zsh_argument(option);
  }
  text += "      && return 0\n";
}

}  // namespace

std::string bash_completion(const CommandDescription& program) {
  const std::string function = function_name(program.name);
  std::string text =
      fmt::format("# Completion of {} for bash.\n_{}() {{\n", program.name, function);
  text +=
      "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"\" command=\"\" words=\"\" word\n"
      "  [ \"$COMP_CWORD\" -gt 0 ] && previous=\"${COMP_WORDS[COMP_CWORD - 1]}\"\n";
  text += fmt::format(
      "  for word in \"${{COMP_WORDS[@]:1:COMP_CWORD - 1}}\"; do\n"
      "    case \" {} \" in\n"
      "      *\" $word \"*) command=\"$word\"; break ;;\n"
      "    esac\n"
      "  done\n",
      fmt::join(command_names(program), " "));
  text += "  case \"$command\" in\n";
  for (const CommandDescription& command : program.commands) {
    text += fmt::format("    {}) words=\"{}{}\" ;;\n", command.name, option_words(command),
                        positional_words(command));
  }
  const std::string names = fmt::format("{}", fmt::join(command_names(program), " "));
  text += fmt::format("    *) words=\"{}{}{}\" ;;\n  esac\n", names, names.empty() ? "" : " ",
                      option_words({program.name, "", program.options, {}}));
  text += "  case \"$command $previous\" in\n";
  add_choices(text, "", program);
  for (const CommandDescription& command : program.commands) {
    add_choices(text, command.name, command);
    add_choices(text, command.name, {program.name, "", program.options, {}});
  }
  text +=
      "  esac\n"
      "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
      "}\n";
  text += fmt::format("complete -o default -F _{} {}\n", function, program.name);
  return text;
}

std::string zsh_completion(const CommandDescription& program) {
  std::string text =
      fmt::format("#compdef {}\n# Completion of {} for zsh.\n", program.name, program.name);
  text += "local -a commands\ncommands=(\n";
  for (const CommandDescription& command : program.commands) {
    text += fmt::format("  '{}:{}'\n", command.name, zsh_text(command.text));
  }
  text += ")\nlocal word command=\"\"\n";
  text += fmt::format(
      "for word in ${{words[2,CURRENT-1]}}; do\n"
      "  if [[ \" {} \" == *\" $word \"* ]]; then command=$word; break; fi\n"
      "done\n",
      fmt::join(command_names(program), " "));
  text += "case $command in\n";
  for (const CommandDescription& command : program.commands) {
    text += fmt::format("  {})\n    shift words; (( CURRENT-- ))\n", command.name);
    add_zsh_arguments(text, command);
    text += "    ;;\n";
  }
  text += "  *)\n";
  if (!program.commands.empty()) {
    text += "    [[ $words[CURRENT] != -* ]] && _describe command commands && return 0\n";
  }
  add_zsh_arguments(text, {program.name, "", program.options, {}});
  return text + "    ;;\nesac\n";
}

}  // namespace mstune::cli
