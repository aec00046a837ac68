// A text that stands in a table, in each language that the programs speak.
#pragma once

#include <string>
#include <string_view>

namespace mstune::cli {

struct Text {
  std::string_view english;
  std::string_view chinese;

  [[nodiscard]] bool empty() const { return english.empty(); }
  bool operator==(const Text&) const = default;
};

// In the language of this process.
std::string_view said(const Text& text);

}  // namespace mstune::cli
