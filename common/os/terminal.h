// What is known of the terminal that a stream of this process may be.
#pragma once

#include <cstddef>
#include <optional>

namespace mstune::os {

struct TerminalSize {
  std::size_t columns = 0;
  std::size_t rows = 0;
};

bool is_terminal(int descriptor);

// Empty when the descriptor is no terminal, or one that does not know its size.
std::optional<TerminalSize> terminal_size(int descriptor);

}  // namespace mstune::os
