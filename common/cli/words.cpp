#include "common/cli/words.h"

#include <utility>

#include <CLI/CLI.hpp>

namespace mstune::cli {
namespace {

constexpr int kTimesMax = 10000;  // that an option may be given

std::string names_of(const Option& option) {
  std::string names(option.name);
  return option.letter == 0 ? names : std::string("-") + option.letter + "," + names;
}

// "--mode=offline" in two words, also where nothing follows the sign.
std::vector<std::string> without_signs(const Command& command, std::span<const std::string> words) {
  std::vector<std::string> result;
  for (const std::string& word : words) {
    const auto sign = word.find('=');
    const Option* option =
        sign == std::string::npos ? nullptr : find_option(command, word.substr(0, sign));
    const bool optional = option != nullptr && !option->implied.empty();
    if (option == nullptr || option->kind == Kind::flag || optional) {
      result.push_back(word);
    } else {
      result.push_back(word.substr(0, sign));
      result.push_back(word.substr(sign + 1));
    }
  }
  return result;
}

CLI::Option* add(CLI::App& app, const Option& option) {
  if (option.kind == Kind::flag) {
    return app.add_flag(names_of(option))->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  CLI::Option* added = app.add_option(names_of(option));
  added->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  if (is_positional(option)) {
    // CLI11 asks for as many as it may; whether one is missing is judged elsewhere.
    return option.repeatable ? added->expected(1, kTimesMax)->allow_extra_args()
                             : added->expected(1);
  }
  return added->expected(option.implied.empty() ? 1 : 0, 1);
}

}  // namespace

SplitWords split(const Command& command, std::span<const std::string> words) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<std::pair<const Option*, const CLI::Option*>> added;
  for (const Option* option : all_options(command)) {
    added.emplace_back(option, add(app, *option));
  }
  SplitWords result;
  const std::vector<std::string> single = without_signs(command, words);
  try {
    // CLI11 takes them from the end.
    app.parse(std::vector<std::string>(single.rbegin(), single.rend()));
  } catch (const CLI::ParseError&) {
    // Unknown words are kept and numbers of values not judged, so that this alone is left.
    result.no_value = single.empty() ? nullptr : find_option(command, single.back());
    return result;
  }
  for (const auto& [option, parsed] : added) {
    if (parsed->count() > 0) {
      result.given.push_back({option, parsed->results()});
    }
  }
  result.unknown = app.remaining();
  return result;
}

}  // namespace mstune::cli
