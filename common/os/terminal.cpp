#include "common/os/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace mstune::os {

bool is_terminal(int descriptor) {
  return ::isatty(descriptor) == 1;
}

std::optional<TerminalSize> terminal_size(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return std::nullopt;
  }
  return TerminalSize{size.ws_col, size.ws_row};
}

}  // namespace mstune::os
