#include "common/shell_syntax.h"

#include <algorithm>

namespace mstune {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool is_variable_name(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && fits(text.front()) && std::all_of(text.begin(), text.end(), [&](char c) {
    return fits(c) || (c >= '0' && c <= '9');
  });
}

// What the first word alone tells.
std::optional<std::string> meaning_of_first_word(std::string_view command) {
  command.remove_prefix(std::min(command.find_first_not_of(kBlanks), command.size()));
  const std::string_view word = command.substr(0, command.find_first_of(kBlanks));
  const auto equals = word.find('=');
  if (equals != std::string_view::npos && is_variable_name(word.substr(0, equals))) {
    return std::string(word.substr(0, equals + 1));
  }
  return word == "cd" ? std::make_optional(std::string(word)) : std::nullopt;
}

bool means_something(char c, char quote, bool begins_word) {
  if (quote == '\'') {
    return false;
  }
  if (c == '$' || c == '`') {
    return true;
  }
  constexpr std::string_view kUnquoted = "|&;<>()*?[";
  return quote == '\0' &&
         (kUnquoted.find(c) != std::string_view::npos || (c == '~' && begins_word));
}

}  // namespace

std::optional<std::string> shell_syntax_in(std::string_view command) {
  if (auto first = meaning_of_first_word(command)) {
    return first;
  }
  char quote = '\0';
  bool begins_word = true;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (c == '\\' && quote != '\'') {
      ++i;
    } else if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (means_something(c, quote, begins_word)) {
      return std::string(1, c);
    }
    begins_word = quote == '\0' && kBlanks.find(c) != std::string_view::npos;
  }
  return std::nullopt;
}

}  // namespace mstune
