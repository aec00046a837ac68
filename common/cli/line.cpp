#include "common/cli/line.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "common/cli/mistake.h"
#include "common/cli/nearest.h"
#include "common/cli/settings.h"
#include "common/cli/words.h"
#include "common/error.h"
#include "common/words.h"

namespace mstune::cli {
namespace {

constexpr int kMistakesMax = 3;  // in a line for which a cure is looked for

using Understood = std::variant<Line, Mistake>;

// The commands, and what stands before them: only what every command takes may.
std::optional<Mistake> read_commands(Place& place, Words& before) {
  while (place.begin < place.words.size() && !place.command().commands.empty()) {
    const std::string& word = place.words[place.begin];
    if (word.starts_with('-')) {
      const Option* option = find_option(place.command(), word.substr(0, word.find('=')));
      if (option == nullptr) {
        return option_before_command(place, place.begin);
      }
      before.push_back(word);
      const bool in_two = option->kind != Kind::flag && word.find('=') == std::string::npos;
      if (in_two && place.begin + 1 < place.words.size()) {
        before.push_back(place.words[++place.begin]);
      }
    } else if (const Command* command = find_command(place.command(), word)) {
      place.commands.push_back(command);
    } else {
      return unknown_command(place, place.begin);
    }
    ++place.begin;
  }
  return std::nullopt;
}

std::optional<Mistake> read_values(const Place& place, const SplitWords& words,
                                   const Surroundings& surroundings, Line& line) {
  for (const GivenWords& given : words.given) {
    const Option& option = *given.option;
    if (given.values.size() > 1 && !option.repeatable && option.kind != Kind::flag) {
      return given_twice(place, option);
    }
    for (const std::string& typed : given.values) {
      // CLI11 gives an option without its optional value as an empty one.
      const bool implied = !option.implied.empty() && typed.empty();
      if (!is_positional(option) && typed.starts_with("--") &&
          find_option(place.command(), typed) != nullptr) {
        return value_missing(place, option);
      }
      auto value =
          read_value(option, implied ? option.implied : std::string_view(typed), surroundings.home);
      if (const auto* bad = std::get_if<BadValue>(&value)) {
        return bad_value(place, option, typed, bad->why, bad->better);
      }
      line.given.push_back({&option, std::get<Value>(std::move(value))});
    }
  }
  return std::nullopt;
}

Error unknown_setting(const Command& command, const std::string& file, const Setting& setting) {
  std::vector<std::string_view> names;
  for (const Option& option : command.options) {
    if (!is_positional(option) && option.set_by == SetBy::file) {
      names.push_back(option.name.substr(2));
    }
  }
  const std::string_view near = nearest(setting.name, names);
  return near.empty() ? usage_error("options.file_unknown", "{}:{}: there is no option {}", file,
                                    setting.line, setting.name)
                      : usage_error("options.file_unknown_near",
                                    "{}:{}: there is no option {}; did you mean {}?", file,
                                    setting.line, setting.name, near);
}

// The options of a file, before those that were typed: these win.
void read_file(const Surroundings& surroundings, Line& line) {
  const std::string_view option_of_file = line.command().settings_from;
  const std::string file(option_of_file.empty() ? "" : line.text(option_of_file));
  if (file.empty() || surroundings.read == nullptr) {
    return;
  }
  std::vector<Given> of_file;
  for (const Setting& setting : read_settings(surroundings.read(file), file)) {
    const Option* option = find_option(line.command(), "--" + setting.name);
    if (option == nullptr || option->set_by != SetBy::file) {
      throw unknown_setting(line.command(), file, setting);
    }
    for (const std::string& typed : setting.values) {
      auto value = read_value(*option, typed, surroundings.home);
      if (const auto* bad = std::get_if<BadValue>(&value)) {
        throw usage_error("options.file_bad_value", "{}:{}: {}", file, setting.line, bad->why);
      }
      if (!line.has(option->name) &&
          !(option->field.store == line.command().program.store && line.has_program)) {
        of_file.push_back({option, std::get<Value>(std::move(value))});
      }
    }
  }
  line.given.insert(line.given.begin(), of_file.begin(), of_file.end());
}

// "--mode offline" of Option::needs.
bool is_met(const Line& line, std::string_view condition) {
  const auto space = condition.find(' ');
  const std::string_view name = condition.substr(0, space);
  return line.has(name) &&
         (space == condition.npos || line.text(name) == condition.substr(space + 1));
}

std::optional<Mistake> check_together(const Place& place, const Line& line) {
  for (const Given& given : line.given) {
    const Option& option = *given.option;
    if (!option.needs.empty() && !is_met(line, option.needs)) {
      return needs_another(place, option);
    }
    if (!option.excludes.empty() && line.has(option.excludes)) {
      return excludes_another(place, option);
    }
  }
  for (const Option& option : place.command().options) {
    if (option.required && !line.has(option.name)) {
      return argument_missing(option);
    }
    if (line.has_program && option.kind == Kind::command && line.has(option.name) &&
        option.field.store == place.command().program.store) {
      return program_twice(place, option);
    }
  }
  return std::nullopt;
}

Wants wants_of(const Line& line, bool bare) {
  if (line.has("--help-all")) {
    return Wants::help_all;
  }
  if (line.has("--help")) {
    return Wants::help;
  }
  if (line.has("--version")) {
    return Wants::version;
  }
  const Command& command = line.command();
  const bool lacks_argument =
      std::any_of(command.options.begin(), command.options.end(),
                  [&](const Option& option) { return option.required && !line.has(option.name); });
  if (!command.commands.empty()) {
    return line.commands.size() == 1 ? Wants::help : Wants::usage;
  }
  return bare && lacks_argument ? Wants::usage : Wants::work;
}

Understood understand(const Command& program, const Words& typed,
                      const Surroundings& surroundings) {
  Place place{{&program}, typed, 0};
  Words before;
  if (auto mistake = read_commands(place, before)) {
    return *std::move(mistake);
  }
  Line line;
  line.commands = place.commands;
  const auto begin = typed.begin() + static_cast<std::ptrdiff_t>(place.begin);
  auto end = typed.end();
  if (place.command().program.store != nullptr) {
    end = std::find(begin, typed.end(), "--");
    line.has_program = end != typed.end() && end + 1 != typed.end();
    if (line.has_program) {
      line.program = join_words(Words(end + 1, typed.end()));
    }
  }
  Words own = before;
  own.insert(own.end(), begin, end);
  const SplitWords words = split(place.command(), own);
  if (words.no_value != nullptr) {
    return value_missing(place, *words.no_value);
  }
  // Help is for who does not know yet what to write.
  const bool asks_for_help = std::any_of(words.given.begin(), words.given.end(), [](const auto& g) {
    return g.option->name.starts_with("--help");
  });
  if (!words.unknown.empty() && !asks_for_help) {
    return unknown_words(place, words.unknown);
  }
  if (auto mistake = read_values(place, words, surroundings, line)) {
    return *std::move(mistake);
  }
  read_file(surroundings, line);
  line.wants = wants_of(line, own.empty());
  if (line.wants == Wants::work) {
    if (auto mistake = check_together(place, line)) {
      return *std::move(mistake);
    }
  }
  return line;
}

// The first of its cures that works, or the first of theirs.
std::optional<Words> cure_of(const Command& program, const Mistake& mistake,
                             const Surroundings& surroundings, int mistakes_max) {
  for (const Words& cure : mistake.cures) {
    const Understood understood = understand(program, cure, surroundings);
    if (std::holds_alternative<Line>(understood)) {
      return cure;
    }
    if (mistakes_max > 1) {
      if (auto further =
              cure_of(program, std::get<Mistake>(understood), surroundings, mistakes_max - 1)) {
        return further;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

bool Line::has(std::string_view name) const {
  return std::any_of(given.begin(), given.end(),
                     [&](const Given& each) { return each.option->name == name; });
}

std::string_view Line::text(std::string_view name) const {
  const auto found = std::find_if(given.rbegin(), given.rend(),
                                  [&](const Given& each) { return each.option->name == name; });
  return found == given.rend() ? std::string_view() : found->value.text;
}

void Line::fill(void* options, const std::type_info& type) const {
  const auto store = [&](const Field& field, const Value& value) {
    if (field.store != nullptr) {
      if (*field.owner != type) {
        std::abort();
      }
      field.store(options, value);
    }
  };
  for (const Option& option : command().options) {
    if (!option.initial.empty() && !has(option.name)) {
      auto value = read_value(option, option.initial, "");
      if (std::holds_alternative<BadValue>(value)) {
        std::abort();
      }
      store(option.field, std::get<Value>(value));
    }
  }
  for (const Given& each : given) {
    store(each.option->field, each.value);
  }
  if (has_program) {
    store(command().program, {program, 0, {}});
  }
}

std::string settings_text(const Line& line) {
  std::string text;
  for (const Option& option : line.command().options) {
    Words values;
    for (const Given& each : line.given) {
      if (each.option == &option) {
        values.push_back(each.value.text);
      }
    }
    if (line.has_program && option.field.store == line.command().program.store) {
      values = {line.program};
    }
    if (!values.empty() && option.set_by == SetBy::file) {
      text += setting_line(option, values);
    }
  }
  return text;
}

Line parse(const Command& program, std::span<const std::string> words,
           const Surroundings& surroundings) {
  Understood understood = understand(program, Words(words.begin(), words.end()), surroundings);
  if (auto* line = std::get_if<Line>(&understood)) {
    return std::move(*line);
  }
  const Mistake& mistake = std::get<Mistake>(understood);
  if (const auto cure = cure_of(program, mistake, surroundings, kMistakesMax)) {
    throw usage_error("options.mistake_cured", "{}{}try: {} {}", mistake.what, "\n  ", program.name,
                      join_words(*cure));
  }
  std::string name(program.name);
  for (const std::string& word : words) {
    if (find_command(program, word) != nullptr) {
      name += " " + word;
      break;
    }
  }
  throw usage_error("options.mistake", "{}; see {} -h", mistake.what, name);
}

}  // namespace mstune::cli
