// The pieces that npu-smi's outputs are made of: lines, words, cells of tables, numbers. Pure.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace mstune::agent {

// Without blanks at both ends.
std::string_view trimmed(std::string_view text);

std::vector<std::string_view> lines_of(std::string_view text);

// What stands between blanks.
std::vector<std::string_view> words_of(std::string_view line);

// The cells of "| a | b |", without the blanks around them; empty for another line.
std::vector<std::string_view> cells_of(std::string_view line);

// Of a text that is a number and nothing else.
template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc{} && end == text.data() + text.size() && !text.empty()
             ? std::optional<Number>(number)
             : std::nullopt;
}

}  // namespace mstune::agent
