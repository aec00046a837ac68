#include "common/message.h"

#include <array>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

namespace mstune {
namespace {

// Length of the placeholder at `at`: 2 for "{}", 3 for "{0}"; 0 when there is none.
std::size_t placeholder_length(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "{}") {
    return 2;
  }
  const bool numbered = text.size() >= at + 3 && text[at] == '{' && text[at + 1] >= '0' &&
                        text[at + 1] <= '9' && text[at + 2] == '}';
  return numbered ? 3 : 0;
}

std::string text_of(const Argument& argument) {
  return std::visit(
      [](const auto& value) {
        if constexpr (std::is_same_v<decltype(value), const Message* const&>) {
          return value->text;
        } else {
          return fmt::format("{}", value);
        }
      },
      argument.value());
}

}  // namespace

std::string fill(std::string_view text, const std::vector<std::string>& arguments) {
  std::string result;
  std::size_t next = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view pair = text.substr(at, 2);
    if (pair == "{{" || pair == "}}") {
      result += text[at];
      at += 2;
    } else if (const std::size_t length = placeholder_length(text, at); length > 0) {
      const std::size_t number =
          length == 2 ? next++ : static_cast<std::size_t>(text[at + 1] - '0');
      result += number < arguments.size() ? arguments[number] : "?";
      at += length;
    } else {
      result += text[at++];
    }
  }
  return result;
}

Message compose(std::string_view id, std::string_view english,
                std::initializer_list<Argument> arguments) {
  Message result{std::string(id), {}, {}, {}};
  for (const Argument& argument : arguments) {
    result.arguments.push_back(text_of(argument));
    if (const auto* inner = std::get_if<const Message*>(&argument.value())) {
      result.inner.resize(arguments.size());
      result.inner[result.arguments.size() - 1] = **inner;
    }
  }
  result.text = fill(english, result.arguments);
  return result;
}

std::string duration_text(double seconds) {
  if (seconds < 1.0) {
    return fmt::format("{} ms", std::llround(seconds * 1000.0));
  }
  if (seconds < 120.0) {
    return fmt::format("{:.3g} s", seconds);
  }
  const auto minutes = std::llround(seconds / 60.0);
  if (minutes < 120) {
    return fmt::format("{} min", minutes);
  }
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string size_text(unsigned long long bytes) {
  constexpr std::array<const char*, 4> kUnits{"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) {
    return fmt::format("{} B", bytes);
  }
  double value = static_cast<double>(bytes) / 1024.0;
  std::size_t unit = 0;
  while (value >= 1024.0 && unit + 1 < kUnits.size()) {
    value /= 1024.0;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits.at(unit));
}

}  // namespace mstune
