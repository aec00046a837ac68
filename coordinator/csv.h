// Fields of a CSV file as RFC 4180 has them. Pure.
#pragma once

#include <string>
#include <string_view>

namespace mstune::coordinator {

// In quotes, with quotes inside doubled, where a comma, a quote or a line end asks for it.
inline std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace mstune::coordinator
