// An error of the graph engine: its public code and its text.
#pragma once

#include <stdexcept>
#include <string>

namespace standin {

class GeError : public std::runtime_error {
 public:
  GeError(std::string code, const std::string& text)
      : std::runtime_error(text), code_(std::move(code)) {}

  [[nodiscard]] const std::string& code() const { return code_; }

 private:
  std::string code_;  // "E10001"
};

// The block that CANN's tools print for an error: "E10001: [PID: 7] 2026-…\n  text". Local time.
std::string error_block(const GeError& error);

}  // namespace standin
