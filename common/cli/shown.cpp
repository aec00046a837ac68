#include "common/cli/shown.h"

#include <algorithm>

#include "common/language.h"

namespace mstune::cli {
namespace {

std::string with_initial(const Option& option, std::string text) {
  if (option.initial.empty()) {
    return text;
  }
  return text + said(message("help.initial", " (default: {})", option.initial));
}

}  // namespace

std::string names_and_value(const Option& option) {
  if (is_positional(option)) {
    return value_word(option);
  }
  std::string text = option.letter == 0 ? "" : std::string("-") + option.letter + ", ";
  text += option.name;
  if (option.kind == Kind::flag) {
    return text;
  }
  const std::string value = value_word(option);
  return text + (option.implied.empty() ? " " + value : " [" + value + "]");
}

std::string short_text(const Option& option) {
  return with_initial(option, std::string(said(option.text)));
}

std::string full_text(const Option& option) {
  std::string text(said(option.text));
  if (!option.details.empty()) {
    text += spoken() == Language::chinese ? "；" : "; ";
    text += said(option.details);
  }
  return with_initial(option, std::move(text));
}

std::vector<Text> groups_of(const Command& command) {
  std::vector<Text> groups;
  for (const Option* option : all_options(command)) {
    if (std::find(groups.begin(), groups.end(), option->group) == groups.end()) {
      groups.push_back(option->group);
    }
  }
  return groups;
}

}  // namespace mstune::cli
