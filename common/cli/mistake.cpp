#include "common/cli/mistake.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "common/cli/nearest.h"
#include "common/cli/values.h"
#include "common/words.h"

namespace mstune::cli {
namespace {

// "-repeat", "—repeat" and "－－repeat" as "--repeat"; empty for what is no option.
std::string as_option(std::string_view word) {
  const std::string plain = plain_marks(word);
  const auto name_begin = plain.find_first_not_of('-');
  if (name_begin == 0 || name_begin == std::string::npos) {
    return "";
  }
  return "--" + plain.substr(name_begin);
}

std::string name_part(std::string_view option) {
  return std::string(option.substr(0, option.find('=')));
}

std::vector<std::string_view> option_names(const Command& command) {
  std::vector<std::string_view> names;
  for (const Option* option : all_options(command)) {
    if (!is_positional(*option) && option->level != Level::hidden) {
      names.push_back(option->name);
    }
  }
  return names;
}

Words replaced(Words words, std::size_t at, std::string by) {
  words[at] = std::move(by);
  return words;
}

Words without(Words words, std::size_t at, std::size_t count = 1) {
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(at),
              words.begin() + static_cast<std::ptrdiff_t>(at + count));
  return words;
}

Words with_more(Words words, std::string_view condition) {
  // Before "--": what stands behind it belongs to the program.
  const auto more = split_words(condition, "");
  words.insert(std::find(words.begin(), words.end(), "--"), more.begin(), more.end());
  return words;
}

const Option* option_at(const Place& place, std::size_t at) {
  const std::string& word = place.words[at];
  return word.starts_with('-') ? find_option(place.command(), name_part(word)) : nullptr;
}

bool takes_next_word(const Place& place, std::size_t at) {
  const Option* option = option_at(place, at);
  return option != nullptr && option->kind != Kind::flag && option->implied.empty() &&
         place.words[at].find('=') == std::string::npos;
}

// Where the first of the unknown words stands: not as the value of an option.
std::size_t place_of(const Place& place, const std::string& word) {
  for (std::size_t at = place.begin; at < place.words.size(); ++at) {
    if (takes_next_word(place, at)) {
      ++at;
    } else if (place.words[at] == word) {
      return at;
    }
  }
  return place.words.size();
}

// Where the option is named; the number of words if nowhere (it stands in a file).
std::size_t place_of(const Place& place, const Option& option) {
  for (std::size_t at = 0; at < place.words.size() && place.words[at] != "--"; ++at) {
    if (option_at(place, at) == &option) {
      return at;
    }
  }
  return place.words.size();
}

// Words that belong to one command, as one text.
std::string one_command(const Words& words) {
  std::string typed;
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    typed += (i == 0 ? "" : " ") + words[i];
    // A word with blanks in it was quoted whole, and holds several already.
    const bool whole = i == 0 && words[i].find(' ') != std::string::npos;
    text += (i == 0 ? "" : " ") + (whole ? words[i] : join_words({words[i]}));
  }
  // Quotes of an input method reach the program's words, because no shell takes them away.
  return plain_marks(typed) == typed ? text : plain_command(typed);
}

// The same line with commands quoted: words behind "--run-command python3" up to the next option
// that is ours belong to the program.
std::optional<Words> quoted(const Place& place) {
  Words result(place.words.begin(), place.words.begin() + static_cast<std::ptrdiff_t>(place.begin));
  bool any = false;
  for (std::size_t at = place.begin; at < place.words.size();) {
    const Option* option = option_at(place, at);
    result.push_back(place.words[at++]);
    if (option == nullptr || option->kind != Kind::command || at == place.words.size()) {
      continue;
    }
    const bool in_one = result.back().find('=') != std::string::npos;
    std::vector<std::string> words;
    if (!in_one) {
      words = {place.words[at++]};
    }
    const std::size_t first_loose = at;
    while (at < place.words.size() && option_at(place, at) == nullptr) {
      words.push_back(place.words[at++]);
    }
    any = any || at > first_loose;
    const std::string text =
        at == first_loose ? (words.empty() ? "" : words.front()) : one_command(words);
    if (in_one) {
      result.back() += (text.empty() ? "" : " ") + text;
    } else {
      result.push_back(text);
    }
  }
  return any ? std::optional<Words>(std::move(result)) : std::nullopt;
}

// "tune python3 infer.py": the program without a "--" before it.
std::optional<Words> with_dashes(const Place& place, std::size_t at) {
  if (place.command().program.store == nullptr || place.words[at].starts_with('-') ||
      std::find(place.words.begin(), place.words.end(), "--") != place.words.end()) {
    return std::nullopt;
  }
  Words result = place.words;
  result.insert(result.begin() + static_cast<std::ptrdiff_t>(at), "--");
  return result;
}

// "--timeout 30 m" and "--streams 2, 4": what follows belongs to the value before it.
std::optional<Words> joined(const Place& place, std::size_t at) {
  if (at < place.begin + 2 || !takes_next_word(place, at - 2)) {
    return std::nullopt;
  }
  const Option& option = *option_at(place, at - 2);
  if (option.kind == Kind::text || option.kind == Kind::command || option.kind == Kind::path ||
      option.kind == Kind::word) {
    return std::nullopt;
  }
  Words result = place.words;
  while (at < result.size() && !result[at].starts_with('-')) {
    const bool separate =
        option.kind == Kind::list && !result[at - 1].ends_with(',') && !result[at].starts_with(',');
    result[at - 1] += (separate ? "," : "") + result[at];
    result = without(std::move(result), at);
  }
  return result;
}

// The command of the program that has such an option.
const Command* owner_of(const Place& place, std::string_view name) {
  for (const Command& command : place.commands.front()->commands) {
    if (&command != &place.command() && find_option(command, name) != nullptr) {
      return &command;
    }
  }
  return nullptr;
}

Mistake unknown_option(const Place& place, std::size_t at) {
  const std::string& typed = place.words[at];
  const std::string option = as_option(typed);
  const std::string name = name_part(option);
  const auto names = option_names(place.command());
  const std::string near(nearest(name, names));
  Mistake mistake{message("options.unknown_option", "unknown option {}", name_part(typed)), {}};
  if (!near.empty()) {
    mistake.what = message("options.unknown_option_near", "unknown option {}; did you mean {}?",
                           name_part(typed), near);
    mistake.cures.push_back(replaced(place.words, at, near + option.substr(name.size())));
  } else if (const Command* owner = owner_of(place, name)) {
    mistake.what = message("options.of_another_command", "{} is an option of {} {}, not of {}",
                           name, place.commands.front()->name, owner->name, place.command().name);
  }
  return mistake;
}

}  // namespace

Mistake unknown_command(const Place& place, std::size_t at) {
  const std::string& typed = place.words[at];
  const auto names = command_names(place.command());
  const std::string near(nearest(plain_marks(typed), names));
  if (near.empty()) {
    return {message("options.unknown_command", "there is no command {}", typed), {}};
  }
  return {message("options.unknown_command_near", "there is no command {}; did you mean {}?", typed,
                  near),
          {replaced(place.words, at, near)}};
}

Mistake option_before_command(const Place& place, std::size_t at) {
  const std::string& typed = place.words[at];
  for (std::size_t i = at + 1; i < place.words.size(); ++i) {
    const Command* command = find_command(place.command(), place.words[i]);
    if (command != nullptr) {
      Words moved = without(place.words, i);
      moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(at), place.words[i]);
      return {message("options.before_command", "{} stands before the command: options follow it",
                      name_part(typed)),
              {std::move(moved)}};
    }
  }
  const std::string option = as_option(typed);
  const auto names = option_names(place.command());
  Mistake mistake{message("options.no_command", "no command given before {}", name_part(typed)),
                  {}};
  if (const std::string near(nearest(name_part(option), names)); !near.empty()) {
    mistake.cures.push_back(replaced(place.words, at, near));
  }
  for (const Command& command : place.command().commands) {
    if (find_option(command, name_part(option)) != nullptr) {
      Words with_command = place.words;
      with_command.insert(with_command.begin() + static_cast<std::ptrdiff_t>(at),
                          std::string(command.name));
      mistake.cures.push_back(std::move(with_command));
      break;
    }
  }
  return mistake;
}

Mistake unknown_words(const Place& place, const Words& unknown) {
  Mistake mistake{message("options.unknown_argument", "unknown argument {}", unknown.front()), {}};
  const std::size_t at = place_of(place, unknown.front());
  if (at == place.words.size()) {
    return mistake;
  }
  const bool is_option = !as_option(unknown.front()).empty() && unknown.front() != "-";
  if (is_option) {
    mistake = unknown_option(place, at);
  }
  if (auto line = joined(place, at)) {
    mistake.cures.push_back(*std::move(line));
  }
  if (auto line = quoted(place)) {
    if (mistake.cures.empty()) {
      mistake.what = message("options.outside_quotes",
                             "{} belongs to the program, it seems, and stands outside the quotes",
                             unknown.front());
    }
    mistake.cures.push_back(*std::move(line));
  }
  if (auto line = with_dashes(place, at)) {
    if (mistake.cures.empty()) {
      mistake.what = message("options.no_dashes", "the program under test stands behind --");
    }
    mistake.cures.push_back(*std::move(line));
  }
  if (!is_option) {
    mistake.cures.push_back(without(place.words, at));
  }
  return mistake;
}

Mistake value_missing(const Place& place, const Option& option) {
  Mistake mistake{
      message("options.value_missing", "{} needs a value ({})", option.name, value_word(option)),
      {}};
  const std::size_t at = place_of(place, option);
  if (at < place.words.size() && !option.initial.empty()) {
    Words words = place.words;
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::string(option.initial));
    mistake.cures.push_back(std::move(words));
  }
  return mistake;
}

Mistake bad_value(const Place& place, const Option& option, const std::string& typed,
                  const Message& why, const std::string& better) {
  Mistake mistake{why, {}};
  for (std::size_t at = place.begin; at < place.words.size(); ++at) {
    const std::string& word = place.words[at];
    const bool in_one = word.ends_with("=" + typed) && option_at(place, at) == &option;
    const bool own = word == typed && (is_positional(option) ||
                                       (at > place.begin && option_at(place, at - 1) == &option));
    if (!in_one && !own) {
      continue;
    }
    if (option.kind == Kind::flag) {
      mistake.cures.push_back(replaced(place.words, at, name_part(word)));
    } else if (!better.empty()) {
      mistake.cures.push_back(
          replaced(place.words, at, (in_one ? name_part(word) + "=" : std::string()) + better));
    }
    if (auto line = option.kind == Kind::command ? quoted(place) : std::nullopt) {
      mistake.cures.insert(mistake.cures.begin(), *std::move(line));
    }
    break;
  }
  return mistake;
}

namespace {

// A line without the option and its value.
void add_cure_without(Mistake& mistake, const Place& place, const Option& option) {
  const std::size_t at = place_of(place, option);
  if (at < place.words.size()) {
    mistake.cures.push_back(without(place.words, at, takes_next_word(place, at) ? 2 : 1));
  }
}

}  // namespace

Mistake given_twice(const Place& place, const Option& option) {
  Mistake mistake{message("options.twice", "{} is given twice", option.name), {}};
  add_cure_without(mistake, place, option);
  return mistake;
}

Mistake needs_another(const Place& place, const Option& option) {
  return {message("options.needs", "{} goes with {} only", option.name, option.needs),
          {with_more(place.words, option.needs)}};
}

Mistake excludes_another(const Place& place, const Option& option) {
  Mistake mistake{
      message("options.excludes", "{} and {} do not go together", option.name, option.excludes),
      {}};
  if (const Option* other = find_option(place.command(), option.excludes)) {
    add_cure_without(mistake, place, *other);
  }
  add_cure_without(mistake, place, option);
  return mistake;
}

Mistake argument_missing(const Option& option) {
  return {message("options.required", "{} is missing", value_word(option)), {}};
}

Mistake program_twice(const Place& place, const Option& option) {
  Mistake mistake{message("options.program_twice",
                          "the program stands behind -- and in {}: keep one of them", option.name),
                  {}};
  add_cure_without(mistake, place, option);
  return mistake;
}

}  // namespace mstune::cli
