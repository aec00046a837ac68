#include "common/words.h"

#include <algorithm>

#include "common/error.h"

namespace mstune {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Reads one word from the front of `text`, which does not begin with a blank.
std::string take_word(std::string_view& text, std::string_view what) {
  std::string word;
  char quote = '\0';
  while (!text.empty()) {
    const char c = text.front();
    if (quote == '\0' && is_blank(c)) {
      return word;
    }
    text.remove_prefix(1);
    if (c == '\\' && quote != '\'') {
      if (text.empty()) {
        throw usage_error("words.last_backslash", "{}: nothing follows the last backslash", what);
      }
      constexpr std::string_view kEscapedInQuotes = "\"\\$`\n";
      if (quote == '"' && kEscapedInQuotes.find(text.front()) == std::string_view::npos) {
        word += c;
      }
      if (text.front() != '\n') {
        word += text.front();
      }
      text.remove_prefix(1);
    } else if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else {
      word += c;
    }
  }
  if (quote != '\0') {
    throw usage_error("words.open_quote", "{}: a quote ({}) is opened and never closed", what,
                      quote);
  }
  return word;
}

bool is_plain(char c) {
  constexpr std::string_view kPlain = "_-./:=,@%+{}";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kPlain.find(c) != std::string_view::npos;
}

}  // namespace

std::vector<std::string> split_words(std::string_view text, std::string_view what) {
  std::vector<std::string> words;
  for (;;) {
    while (!text.empty() && is_blank(text.front())) {
      text.remove_prefix(1);
    }
    if (text.empty()) {
      return words;
    }
    words.push_back(take_word(text, what));
  }
}

std::string join_words(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) {
      line += ' ';
    }
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) {
      line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    line += '\'';
  }
  return line;
}

std::vector<std::string> replace_placeholder(std::vector<std::string> words,
                                             std::string_view placeholder, std::string_view value) {
  for (std::string& word : words) {
    std::string replaced;
    std::size_t from = 0;
    for (std::size_t at = word.find(placeholder); at != std::string::npos;
         at = word.find(placeholder, from)) {
      replaced.append(word, from, at - from).append(value);
      from = at + placeholder.size();
    }
    if (from > 0) {
      word = replaced.append(word, from);
    }
  }
  return words;
}

std::size_t bytes_after_replacing(const std::vector<std::string>& words,
                                  std::string_view placeholder, std::size_t value_bytes) {
  std::size_t bytes = 0;
  for (const std::string& word : words) {
    bytes += word.size() + 1;
    for (std::size_t at = word.find(placeholder); at != std::string::npos;
         at = word.find(placeholder, at + placeholder.size())) {
      bytes += value_bytes - std::min(value_bytes, placeholder.size());
    }
  }
  return bytes;
}

bool holds_placeholder(const std::vector<std::string>& words, std::string_view placeholder) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word.find(placeholder) != std::string::npos;
  });
}

}  // namespace mstune
