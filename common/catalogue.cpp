#include "common/catalogue.h"

#include <algorithm>
#include <cstddef>

#include "common/error.h"

namespace mstune {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Length of the placeholder at `at`: 2 for "{}", 3 for "{0}"; 0 when there is none.
std::size_t placeholder_length(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "{}") {
    return 2;
  }
  const bool numbered =
      text.size() >= at + 3 && text[at] == '{' && is_digit(text[at + 1]) && text[at + 2] == '}';
  return numbered ? 3 : 0;
}

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

// Where one id has several English texts, each has a line of its own, "id | English = text", and
// the English one tells which: filled with the arguments it is what the message says.
const std::string* find_variant(const std::map<std::string, std::string, std::less<>>& texts,
                                const Message& message) {
  const std::string prefix = message.id + " | ";
  for (auto entry = texts.lower_bound(prefix);
       entry != texts.end() && entry->first.starts_with(prefix); ++entry) {
    const auto english = std::string_view(entry->first).substr(prefix.size());
    if (fill(english, message.arguments) == message.text) {
      return &entry->second;
    }
  }
  return nullptr;
}

}  // namespace

Catalogue Catalogue::parse(std::string_view text) {
  constexpr std::string_view kBetween = " = ";
  Catalogue catalogue;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    ++number;
    if (line.empty() || line.front() == '#') {
      continue;
    }
    const auto between = line.find(kBetween);
    if (between == std::string_view::npos || between == 0) {
      throw environment_error("catalogue.bad_line",
                              "line {} of a catalogue is no \"id = text\": {}", number, line);
    }
    const std::string id(line.substr(0, between));
    if (!catalogue.texts_.emplace(id, line.substr(between + kBetween.size())).second) {
      throw environment_error("catalogue.twice", "line {} of a catalogue: {} stands there twice",
                              number, id);
    }
  }
  return catalogue;
}

const std::string* Catalogue::find(std::string_view id) const {
  const auto found = texts_.find(id);
  return found == texts_.end() ? nullptr : &found->second;
}

std::string Catalogue::text_of(const Message& message) const {
  const std::string* text = find(message.id);
  text = text != nullptr ? text : find_variant(texts_, message);
  if (text == nullptr) {
    return message.text;
  }
  std::vector<std::string> arguments = message.arguments;
  for (std::size_t at = 0; at < message.inner.size() && at < arguments.size(); ++at) {
    if (!message.inner[at].id.empty()) {
      arguments[at] = text_of(message.inner[at]);
    }
  }
  return fill(*text, arguments);
}

}  // namespace mstune
