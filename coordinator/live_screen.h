// A block of lines that stays at the end of a terminal while other lines pass above it.
//
// Writes ANSI sequences (ECMA-48: CUU, ED) to a stream that is a terminal; it does not look whether
// that is so.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace mstune::coordinator {

class LiveScreen {
 public:
  explicit LiveScreen(std::ostream& out) : out_(out) {}

  // Draws `block` in place of the one before, and `above`, lines with their '\n', above it for
  // good. `columns` is the terminal's width now: a narrower one has broken the lines of the block.
  void show(std::string_view above, const std::vector<std::string>& block, std::size_t columns);

  // Takes the block away.
  void clear(std::size_t columns);

 private:
  [[nodiscard]] std::string erasure(std::size_t columns) const;

  std::ostream& out_;
  std::vector<std::string> block_;  // as it stands on the screen
};

}  // namespace mstune::coordinator
