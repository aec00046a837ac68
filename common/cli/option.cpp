#include "common/cli/option.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/language.h"

namespace mstune::cli {

std::string_view said(const Text& text) {
  return spoken() == Language::chinese && !text.chinese.empty() ? text.chinese : text.english;
}

std::string value_word(const Option& option) {
  if (!option.value.empty()) {
    return std::string(option.value);
  }
  switch (option.kind) {
    case Kind::flag:
      return "";
    case Kind::text:
      return "TEXT";
    case Kind::command:
      return "CMD";
    case Kind::path:
      return "FILE";
    case Kind::word:
      return fmt::format("{}", fmt::join(option.choices, "|"));
    case Kind::list:
      return "LIST";
    case Kind::integer:
      return option.choices.empty() ? "N" : fmt::format("N|{}", fmt::join(option.choices, "|"));
    case Kind::seconds:
      return "TIME";
    case Kind::size:
      return "SIZE";
  }
  return "";
}

const std::vector<Option>& shared_options() {
  constexpr Text kGroup{"Help", "帮助"};
  static const std::vector<Option> options{
      {.name = "--help",
       .letter = 'h',
       .group = kGroup,
       .level = Level::basic,
       .set_by = SetBy::line,
       .text = {"Show the most important options", "显示最重要的选项"}},
      {.name = "--help-all",
       .group = kGroup,
       .level = Level::basic,
       .set_by = SetBy::line,
       .text = {"Show all options", "显示全部选项"}},
      {.name = "--lang",
       .kind = Kind::word,
       .choices = {"en", "zh"},
       .group = kGroup,
       .text = {"Language of messages (default: that of the locale)",
                "消息的语言（默认取自 locale）"}},
      {.name = "--version",
       .group = kGroup,
       .set_by = SetBy::line,
       .text = {"Print the version", "打印版本"}},
  };
  return options;
}

std::vector<const Option*> all_options(const Command& command) {
  std::vector<const Option*> options;
  for (const std::vector<Option>* some : {&command.options, &shared_options()}) {
    for (const Option& option : *some) {
      options.push_back(&option);
    }
  }
  return options;
}

std::vector<std::string_view> command_names(const Command& parent) {
  std::vector<std::string_view> names;
  for (const Command& command : parent.commands) {
    names.push_back(command.name);
  }
  return names;
}

const Option* find_option(const Command& command, std::string_view name) {
  for (const Option* option : all_options(command)) {
    if (option->name == name ||
        (name.size() == 2 && name[0] == '-' && option->letter != 0 && name[1] == option->letter)) {
      return option;
    }
  }
  return nullptr;
}

const Command* find_command(const Command& parent, std::string_view name) {
  const auto found = std::find_if(parent.commands.begin(), parent.commands.end(),
                                  [&](const Command& each) { return each.name == name; });
  return found == parent.commands.end() ? nullptr : &*found;
}

}  // namespace mstune::cli
