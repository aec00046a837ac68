#include "common/catalogue.h"

#include <algorithm>
#include <cstddef>

#include "common/error.h"

namespace mstune {
namespace {

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
