#include "common/cli/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "common/cli/nearest.h"

namespace mstune::cli {
namespace {

struct Mark {
  std::string_view typed;
  std::string_view plain;
};
constexpr std::array<Mark, 10> kMarks{{{"“", "\""},
                                       {"”", "\""},
                                       {"‘", "'"},
                                       {"’", "'"},
                                       {"—", "-"},
                                       {"–", "-"},
                                       {"−", "-"},
                                       {"、", ","},
                                       {"。", "."},
                                       {"　", " "}}};

// U+FF01 to U+FF5E, the full-width forms of ! to ~, are EF BC 81 to EF BD 9E in UTF-8.
char full_width(std::string_view text) {
  if (text.size() < 3 || text[0] != '\xEF') {
    return 0;
  }
  const int second = static_cast<unsigned char>(text[1]);
  const int third = static_cast<unsigned char>(text[2]);
  const int code = (second - 0xBC) * 64 + (third - 0x80);  // 1 for U+FF01
  return (second == 0xBC || second == 0xBD) && code >= 1 && code <= 0x5E
             ? static_cast<char>(0x20 + code)
             : '\0';
}

// Numbers of the same text, none where there is something else in it.
std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const auto [end, failure] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (failure != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

std::optional<std::uint64_t> whole_number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

// "a, b or c".
Message choices_message(const std::vector<std::string_view>& words) {
  const std::string last(words.back());
  const std::vector<std::string_view> others(words.begin(), words.end() - 1);
  return others.empty() ? message("options.choice", "{}", last)
                        : message("options.choices", "{} or {}",
                                  fmt::format("{}", fmt::join(others, ", ")), last);
}

BadValue no_choice(const Option& option, const std::string& text) {
  return {message("options.bad_choice", "invalid {} \"{}\" (use {})", option.name, text,
                  choices_message(option.choices)),
          std::string(nearest(text, option.choices))};
}

// The digits that begin a text, commas left out: "3x" and "3.0" mean 3, "10,000" means 10000.
std::string digits_of(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      digits += c;
    } else if (c != ',') {
      break;
    }
  }
  return digits;
}

std::string nearest_whole(const Range& range, std::string_view text) {
  const bool negative = text.starts_with('-');
  const auto number = number_in(negative ? "0" : digits_of(text));
  if (!number) {
    return "";
  }
  return fmt::format("{:.0f}", std::clamp(*number, range.min, range.max));
}

std::variant<Value, BadValue> read_integer(const Option& option, std::string text) {
  const auto choice = std::find(option.choices.begin(), option.choices.end(), text);
  if (choice != option.choices.end()) {
    return Value{std::move(text), 0, {}};
  }
  const auto number = whole_number_in(text);
  if (!number || static_cast<double>(*number) < option.range.min ||
      static_cast<double>(*number) > option.range.max) {
    const std::string better = nearest_whole(option.range, text);
    const bool bounded = option.range.max < Range().max;
    if (!option.choices.empty()) {
      return BadValue{message("options.bad_number_or_word",
                              "invalid {} \"{}\" (a whole number from {}, or {})", option.name,
                              text, number_text(option.range.min), choices_message(option.choices)),
                      better};
    }
    return BadValue{
        bounded ? message("options.bad_number", "invalid {} \"{}\" (a whole number from {} to {})",
                          option.name, text, number_text(option.range.min),
                          number_text(option.range.max))
                : message("options.bad_number_from", "invalid {} \"{}\" (a whole number from {})",
                          option.name, text, number_text(option.range.min)),
        better};
  }
  return Value{std::move(text), *number, {}};
}

std::variant<Value, BadValue> read_time(const Option& option, std::string text) {
  double seconds = 0;
  if (!read_seconds(text, seconds)) {
    const std::string better = digits_of(text);
    return BadValue{
        message("options.bad_time", "invalid {} \"{}\" (a time such as 90, 90s, 30m or 2h)",
                option.name, text),
        better};
  }
  if (seconds < option.range.min || seconds > option.range.max) {
    return BadValue{
        message("options.time_out_of_range", "invalid {} \"{}\" ({} to {} seconds)", option.name,
                text, number_text(option.range.min), number_text(option.range.max)),
        fmt::format("{}", std::clamp(seconds, option.range.min, option.range.max))};
  }
  return Value{std::move(text), 0,
               std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds))};
}

constexpr std::string_view kSizeUnits = "kmgtp";

std::string lower_of(std::string_view text) {
  std::string lower;
  for (const char c : text) {
    lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return lower;
}

// Steps of 1024, with or without B or iB, in any case.
std::optional<double> unit_of_size(std::string_view unit) {
  const std::string lower = lower_of(unit);
  if (lower.empty() || lower == "b") {
    return 1;
  }
  const auto place = kSizeUnits.find(lower.front());
  const std::string_view rest = std::string_view(lower).substr(1);
  if (place == kSizeUnits.npos || !(rest.empty() || rest == "b" || rest == "ib")) {
    return std::nullopt;
  }
  return std::pow(1024.0, static_cast<double>(place) + 1);
}

// "GB" for "gigabytes"; "MB" where the unit begins as none does.
std::string meant_unit(std::string_view unit) {
  const std::string lower = lower_of(unit.substr(0, 1));
  const bool known = !lower.empty() && kSizeUnits.find(lower) != kSizeUnits.npos;
  return known ? std::string(1, static_cast<char>(lower.front() - 'a' + 'A')) + "B" : "MB";
}

std::variant<Value, BadValue> read_size(const Option& option, std::string text) {
  const auto digits_end = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto number = number_in(std::string_view(text).substr(0, digits_end));
  auto unit_begin = text.find_first_not_of(' ', digits_end);
  unit_begin = std::min(unit_begin, text.size());
  const std::string typed_unit = text.substr(unit_begin);
  const auto unit = unit_of_size(typed_unit);
  if (!number || !unit) {
    const std::string digits = digits_of(text);
    return BadValue{message("options.bad_size", "invalid {} \"{}\" (a size such as 64MB or 2GB)",
                            option.name, text),
                    digits.empty() ? "" : digits + meant_unit(typed_unit)};
  }
  constexpr double kSizeMax = 9.0e18;
  const double bytes = *number * *unit;
  const double largest = std::min(option.range.max, kSizeMax);
  if (bytes < option.range.min || bytes > largest) {
    return BadValue{message("options.size_out_of_range", "invalid {} \"{}\" ({} to {} bytes)",
                            option.name, text, number_text(option.range.min), number_text(largest)),
                    ""};
  }
  return Value{std::move(text), static_cast<std::uint64_t>(bytes), {}};
}

std::string trimmed(std::string text) {
  const auto begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

bool is_at_home(std::string_view path) {
  return path == "~" || path.starts_with("~/");
}

std::string at_home(std::string_view path, std::string_view home) {
  return is_at_home(path) ? std::string(home) + std::string(path.substr(1)) : std::string(path);
}

std::variant<Value, BadValue> read_text(const Option& option, std::string_view typed) {
  for (const std::string_view quote : {"“", "”", "‘", "’"}) {
    if (option.kind == Kind::command && typed.find(quote) != typed.npos) {
      return BadValue{message("options.curly_quotes",
                              "{} has a quote of an input method ({}), which no shell knows: write "
                              "' or \"",
                              option.name, quote),
                      plain_command(typed)};
    }
  }
  return Value{std::string(typed), 0, {}};
}

std::variant<Value, BadValue> read_kind(const Option& option, std::string_view typed,
                                        std::string_view home) {
  std::string text = trimmed(plain_marks(typed));
  switch (option.kind) {
    case Kind::flag:
      if (text == "true") {
        return Value{"true", 1, {}};
      }
      return BadValue{message("options.no_value", "{} takes no value", option.name), ""};
    case Kind::text:
    case Kind::command:
      return read_text(option, typed);
    case Kind::path:
      if (typed.empty()) {
        return BadValue{message("options.empty", "{} is empty", option.name), ""};
      }
      if (is_at_home(typed) && home.empty()) {
        return BadValue{message("options.no_home",
                                "{} {}: this user has no home (set HOME to an absolute path)",
                                option.name, typed),
                        ""};
      }
      return Value{at_home(typed, home), 0, {}};
    case Kind::word: {
      const auto place = std::find(option.choices.begin(), option.choices.end(), text);
      if (place == option.choices.end()) {
        return no_choice(option, text);
      }
      const auto index = static_cast<std::uint64_t>(place - option.choices.begin());
      return Value{std::move(text), index, {}};
    }
    case Kind::list:
      if (text.find_first_not_of(", ") == text.npos) {
        return BadValue{message("options.empty", "{} is empty", option.name),
                        std::string(option.initial)};
      }
      return Value{std::move(text), 0, {}};
    case Kind::integer:
      return read_integer(option, std::move(text));
    case Kind::seconds:
      return read_time(option, std::move(text));
    case Kind::size:
      return read_size(option, std::move(text));
  }
  return Value{};
}

}  // namespace

std::string plain_marks(std::string_view typed) {
  std::string plain;
  while (!typed.empty()) {
    const auto mark = std::find_if(kMarks.begin(), kMarks.end(),
                                   [&](const Mark& each) { return typed.starts_with(each.typed); });
    if (mark != kMarks.end()) {
      plain += mark->plain;
      typed.remove_prefix(mark->typed.size());
    } else if (const char c = full_width(typed)) {
      plain += c;
      typed.remove_prefix(3);
    } else {
      plain += typed.front();
      typed.remove_prefix(1);
    }
  }
  return plain;
}

std::string plain_command(std::string_view typed) {
  const std::string plain = plain_marks(typed);
  const bool is_quoted = plain.size() >= 2 && (plain.front() == '"' || plain.front() == '\'') &&
                         plain.back() == plain.front();
  return is_quoted ? plain.substr(1, plain.size() - 2) : plain;
}

std::string number_text(double number) {
  if (number != std::floor(number)) {
    return fmt::format("{}", number);
  }
  std::string text = fmt::format("{:.0f}", std::abs(number));
  for (std::size_t at = text.size(); at > 3; at -= 3) {
    text.insert(at - 3, ",");
  }
  return number < 0 ? "-" + text : text;
}

bool read_seconds(std::string_view text, double& seconds) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  constexpr std::array<Unit, 21> kUnits{
      {{"ms", 0.001},   {"s", 1},        {"sec", 1},      {"second", 1},  {"seconds", 1},
       {"m", 60},       {"min", 60},     {"mins", 60},    {"minute", 60}, {"minutes", 60},
       {"h", 3600},     {"hour", 3600},  {"hours", 3600}, {"d", 86400},   {"day", 86400},
       {"days", 86400}, {"毫秒", 0.001}, {"秒", 1},       {"分", 60},     {"分钟", 60},
       {"小时", 3600}}};
  double sum = 0;
  bool any = false;
  while (!text.empty()) {
    const auto digits_end = std::min(text.find_first_not_of("0123456789."), text.size());
    const auto number = number_in(text.substr(0, digits_end));
    text.remove_prefix(digits_end);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const auto unit_end = std::min(text.find_first_of("0123456789. "), text.size());
    const std::string_view unit = text.substr(0, unit_end);
    const auto known = std::find_if(kUnits.begin(), kUnits.end(),
                                    [&](const Unit& each) { return each.name == unit; });
    if (!number || (known == kUnits.end() && !(unit.empty() && !any && text.empty()))) {
      return false;
    }
    sum += *number * (unit.empty() ? 1 : known->seconds);
    any = true;
    text.remove_prefix(unit_end);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  seconds = sum;
  return any;
}

std::variant<Value, BadValue> read_value(const Option& option, std::string_view typed,
                                         std::string_view home) {
  auto value = read_kind(option, typed, home);
  if (option.check != nullptr && std::holds_alternative<Value>(value)) {
    if (auto bad = option.check(std::get<Value>(value).text)) {
      return *std::move(bad);
    }
  }
  return value;
}

}  // namespace mstune::cli
