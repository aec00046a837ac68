#include "common/language.h"

#include <array>
#include <atomic>
#include <optional>

#include "common/embedded.h"
#include "common/visible.h"

namespace mstune {
namespace {

std::atomic<Language> spoken_language{Language::english};

std::optional<Language> language_of(std::string_view text) {
  if (text.starts_with("zh")) {
    return Language::chinese;
  }
  return text.empty() ? std::nullopt : std::optional(Language::english);
}

std::optional<std::string_view> variable(std::span<const std::string> environment,
                                         std::string_view prefix) {
  for (const std::string_view entry : environment) {
    if (entry.starts_with(prefix) && entry.size() > prefix.size()) {
      return entry.substr(prefix.size());
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view word(Language language) {
  return language == Language::chinese ? "zh" : "en";
}

Language chosen_language(std::span<const std::string> arguments,
                         std::span<const std::string> environment) {
  constexpr std::string_view kOption = "--lang";
  constexpr std::string_view kJoined = "--lang=";
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    const std::string_view argument = arguments[at];
    std::optional<Language> asked;
    if (argument.starts_with(kJoined)) {
      asked = language_of(argument.substr(kJoined.size()));
    } else if (argument == kOption && at + 1 < arguments.size()) {
      asked = language_of(arguments[at + 1]);
    }
    if (asked) {
      return *asked;
    }
  }
  constexpr std::array<std::string_view, 3> kVariables{"LC_ALL=", "LC_MESSAGES=", "LANG="};
  for (const std::string_view name : kVariables) {
    if (const auto value = variable(environment, name)) {
      return language_of(*value).value_or(Language::english);
    }
  }
  return Language::english;
}

void speak(Language language) {
  spoken_language = language;
}

Language spoken() {
  return spoken_language;
}

const Catalogue& catalogue(Language language) {
  static const Catalogue kEnglish;
  static const Catalogue kChinese = Catalogue::parse(embedded::kChineseCatalogue);
  return language == Language::chinese ? kChinese : kEnglish;
}

std::string text_in(Language language, const Message& message) {
  return catalogue(language).text_of(message);
}

// Parts of it come from programs and peers.
std::string said(const Message& message) {
  return visible(text_in(spoken(), message));
}

}  // namespace mstune
