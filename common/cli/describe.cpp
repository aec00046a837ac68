#include "common/cli/describe.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

namespace mstune::cli {
namespace {

// Options that CLI11 gives to every command.
bool is_everywhere(std::string_view option) {
  return option == "--help" || option == "--version";
}

std::string id_of(const std::string& command, const std::string& option) {
  return is_everywhere(option) ? "help." + option : "help." + command + "." + option;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) {
    names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    names.push_back("--" + name);
  }
  if (names.empty()) {
    names.push_back(option.get_name(true));
  }
  return names;
}

// "TEXT:{online,offline}" → online, offline.
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto begin = type.find('{');
  const auto end = type.find('}', begin);
  std::vector<std::string> choices;
  if (begin == std::string::npos || end == std::string::npos) {
    return choices;
  }
  std::string_view rest(type);
  rest = rest.substr(begin + 1, end - begin - 1);
  while (!rest.empty()) {
    const std::string_view choice = rest.substr(0, rest.find(','));
    choices.emplace_back(choice);
    rest.remove_prefix(std::min(rest.size(), choice.size() + 1));
  }
  return choices;
}

OptionDescription describe(const CLI::Option& option) {
  OptionDescription result;
  result.names = names_of(option);
  result.positional = option.get_positional();
  result.takes_value = option.get_items_expected_max() != 0;  // flags expect nothing
  result.required = option.get_required();
  result.repeatable = option.get_expected_max() > 1;
  result.choices = choices_of(option);
  result.standard = option.get_default_str();
  result.text = option.get_description();
  return result;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

}  // namespace

CommandDescription describe(const CLI::App& app) {
  CommandDescription result{app.get_name(), app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) {
      result.options.push_back(describe(*option));
    }
  }
  for (const CLI::App* command : commands_of(app)) {
    result.commands.push_back(describe(*command));
  }
  return result;
}

void translate(CLI::App& app, const Catalogue& catalogue) {
  constexpr std::array<std::pair<const char*, const char*>, 7> kWords{
      {{"Usage", "help.usage"},
       {"OPTIONS", "help.options"},
       {"Options", "help.options"},
       {"SUBCOMMAND", "help.subcommand"},
       {"Subcommands", "help.subcommands"},
       {"Positionals", "help.positionals"},
       {"REQUIRED", "help.required"}}};
  for (const auto& [word, id] : kWords) {
    if (const std::string* text = catalogue.find(id)) {
      app.get_formatter()->label(word, *text);
    }
  }
  if (const std::string* text = catalogue.find("help." + app.get_name())) {
    app.description(*text);
  }
  for (CLI::Option* option : app.get_options()) {
    if (const std::string* text = catalogue.find(id_of(app.get_name(), names_of(*option).back()))) {
      option->description(*text);
    }
  }
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    translate(*command, catalogue);
  }
}

std::vector<std::string> help_ids(const CommandDescription& program) {
  std::vector<std::string> ids{"help." + program.name};
  for (const OptionDescription& option : program.options) {
    ids.push_back(id_of(program.name, option.names.back()));
  }
  for (const CommandDescription& command : program.commands) {
    const auto more = help_ids(command);
    ids.insert(ids.end(), more.begin(), more.end());
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

}  // namespace mstune::cli
