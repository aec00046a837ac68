#include "coordinator/steps_log.h"

#include <charconv>

#include <fmt/format.h>

namespace mstune::coordinator {
namespace {

bool is_escaped(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return c == '%' || c == ':' || byte < 0x20 || byte == 0x7f;
}

std::optional<std::string> unescape(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    if (text.front() != '%') {
      plain += text.front();
      text.remove_prefix(1);
      continue;
    }
    unsigned byte = 0;
    const std::string_view digits = text.substr(1, 2);
    const auto [end, failure] =
        std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (failure != std::errc{} || digits.size() != 2 || end != digits.data() + 2) {
      return std::nullopt;
    }
    plain += static_cast<char>(byte);
    text.remove_prefix(3);
  }
  return plain;
}

}  // namespace

std::string format_steps_log_line(std::string_view source, std::uint64_t line,
                                  std::string_view text) {
  std::string result;
  for (const char c : source) {
    if (is_escaped(c)) {
      result += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      result += c;
    }
  }
  result += fmt::format(":{}:", line);
  result += text;
  result += '\n';
  return result;
}

std::optional<StepsLogLine> parse_steps_log_line(std::string_view line) {
  const auto first = line.find(':');
  const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
  if (second == std::string_view::npos) {
    return std::nullopt;
  }
  StepsLogLine result;
  const std::string_view digits = line.substr(first + 1, second - first - 1);
  const auto [end, failure] =
      std::from_chars(digits.data(), digits.data() + digits.size(), result.line);
  auto source = unescape(line.substr(0, first));
  if (failure != std::errc{} || end != digits.data() + digits.size() || !source) {
    return std::nullopt;
  }
  result.source = std::move(*source);
  result.text = line.substr(second + 1);
  return result;
}

}  // namespace mstune::coordinator
