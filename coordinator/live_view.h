// The live view: a state as lines for a terminal. Pure.
#pragma once

#include <string>
#include <vector>

#include "coordinator/live_state.h"

namespace mstune::coordinator {

struct Terminal {
  std::size_t columns = 80;
  std::size_t rows = 24;
  bool colour = false;   // NO_COLOR is not set
  bool unicode = false;  // its locale is UTF-8
};

// At most `rows` - 1 lines, none wider than `columns`, without '\n'; in the language of this
// process. With colour they hold ANSI sequences, each ended on its line.
std::vector<std::string> live_lines(const LiveState& state, const Terminal& terminal,
                                    TimePoint now);

}  // namespace mstune::coordinator
