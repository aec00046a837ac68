// Messages in another language: a list of id and text, and the filling of placeholders. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "common/message.h"

namespace mstune {

// One language's texts. A line of a catalogue is "id = text"; empty lines and lines that begin with
// '#' say nothing. A text holds the placeholders of the English one: "{}" in their order, or "{0}"
// to "{9}" where the language wants another order; "{{" and "}}" stand for braces.
class Catalogue {
 public:
  // Reads a catalogue. Throws an environment error that names the line which is not one, or an id
  // that stands there twice.
  static Catalogue parse(std::string_view text);

  // Null where there is none.
  [[nodiscard]] const std::string* find(std::string_view id) const;
  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& texts() const {
    return texts_;
  }

  // The message in this language, what it holds inside as well; in English where the id is not
  // known.
  [[nodiscard]] std::string text_of(const Message& message) const;

 private:
  std::map<std::string, std::string, std::less<>> texts_;
};

}  // namespace mstune
