// A sentence for a person, with an id that never changes.
//
// The English text stands where it is used; the id lets a catalogue of another language find its
// own text and put the same arguments into it, on this machine or on the other end of the wire.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace mstune {

struct Message {
  std::string id;                      // "target.unknown_field": area, dot, what happened
  std::string text;                    // English, arguments filled in
  std::vector<std::string> arguments;  // as text, in the order of the English placeholders
  std::vector<Message> inner = {};     // arguments that are messages themselves, at their places
};

}  // namespace mstune

template <>
struct fmt::formatter<mstune::Message> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(const mstune::Message& message, Context& context) const {
    return fmt::formatter<std::string_view>::format(message.text, context);
  }
};

namespace mstune {

// Makes a message. Only plain "{}" placeholders: a number that wants a format is formatted by the
// caller, so that every language shows the same figure. An argument that is a sentence or a word
// of its own is handed in as a Message, so that it is translated as well.
template <typename... Arguments>
Message message(std::string_view id, fmt::format_string<const Arguments&...> english,
                const Arguments&... arguments) {
  Message result{
      std::string(id), fmt::format(english, arguments...), {fmt::format("{}", arguments)...}, {}};
  if constexpr ((std::is_same_v<Arguments, Message> || ...)) {
    const auto inner_of = [](const auto& argument) {
      if constexpr (std::is_same_v<std::decay_t<decltype(argument)>, Message>) {
        return argument;
      } else {
        return Message{};
      }
    };
    result.inner = {inner_of(arguments)...};
  }
  return result;
}

// "1.5 s", "250 ms", "2 h 5 min": a duration for people.
std::string duration_text(double seconds);

// "512 B", "1.5 KiB", "3.8 GiB": a size for people.
std::string size_text(unsigned long long bytes);

}  // namespace mstune
