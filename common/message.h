// A sentence for a person, with an id that never changes.
//
// The English text stands where it is used; the id lets a catalogue of another language find its
// own text and put the same arguments into it, on this machine or on the other end of the wire.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/integer.h"

namespace mstune {

struct Message {
  std::string id;                      // "target.unknown_field": area, dot, what happened
  std::string text;                    // English, arguments filled in
  std::vector<std::string> arguments;  // as text, in the order of the English placeholders
  std::vector<Message> inner = {};     // arguments that are messages themselves, at their places
};

// What fills one placeholder: a look at a text, a number or a message. It lives no longer than
// that.
class Argument {
 public:
  using Value = std::variant<std::string_view, char, Integer, double, const Message*>;

  explicit Argument(std::string_view text) : value_(text) {}
  explicit Argument(const char* text) : value_(std::string_view(text)) {}
  explicit Argument(char character) : value_(character) {}
  explicit Argument(int number) : value_(Integer{number}) {}
  explicit Argument(long number) : value_(Integer{number}) {}
  explicit Argument(long long number) : value_(Integer{number}) {}
  explicit Argument(unsigned number) : value_(Integer{number}) {}
  explicit Argument(unsigned long number) : value_(Integer{number}) {}
  explicit Argument(unsigned long long number) : value_(Integer{number}) {}
  explicit Argument(Integer number) : value_(number) {}
  explicit Argument(double number) : value_(number) {}
  explicit Argument(const Message& message) : value_(&message) {}
  explicit Argument(bool truth) = delete;  // no word for people

  [[nodiscard]] const Value& value() const { return value_; }

 private:
  Value value_;
};

void placeholders_are_not_as_many_as_arguments();  // nowhere defined: calling it ends compilation

// An English text that has Count placeholders, which the compiler makes sure of.
template <std::size_t Count>
class Phrase {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is one as it stands.
  consteval Phrase(const char* english) : english_(english) {
    std::size_t count = 0;
    for (const char* at = english; *at != '\0'; ++at) {
      if (*at != '{' && *at != '}') {
        continue;
      }
      const bool opens = *at == '{';
      ++at;  // "{}", "{{" and "}}" are all that may stand there
      count += opens && *at == '}' ? 1U : 0U;
      if (*at != '}' && !(opens && *at == '{')) {
        placeholders_are_not_as_many_as_arguments();
      }
    }
    if (count != Count) {
      placeholders_are_not_as_many_as_arguments();
    }
  }

  [[nodiscard]] std::string_view english() const { return english_; }

 private:
  std::string_view english_;
};

// Puts arguments into the placeholders of a text: "{}" in their order, "{0}" to "{9}" by number;
// "{{" and "}}" stand for braces. "?" where there is no such argument.
std::string fill(std::string_view text, const std::vector<std::string>& arguments);

Message compose(std::string_view id, std::string_view english,
                std::initializer_list<Argument> arguments);

// Makes a message. Only plain "{}" placeholders: a number that wants a format is formatted by the
// caller, so that every language shows the same figure. An argument that is a sentence or a word
// of its own is handed in as a Message, so that it is translated as well.
template <typename... Values>
Message message(std::string_view id, Phrase<sizeof...(Values)> phrase, const Values&... values) {
  return compose(id, phrase.english(), {Argument(values)...});
}

// "1.5 s", "250 ms", "2 h 5 min": a duration for people.
std::string duration_text(double seconds);

// "512 B", "1.5 KiB", "3.8 GiB": a size for people.
std::string size_text(unsigned long long bytes);

}  // namespace mstune
