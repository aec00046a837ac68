#include "coordinator/live_screen.h"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "common/display_width.h"

namespace mstune::coordinator {
namespace {

// Columns of a line without its colours.
std::size_t shown_width(std::string_view line) {
  std::string text;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\x1b') {
      at = std::min(line.find('m', at), line.size());
    } else {
      text += line[at];
    }
  }
  return display_width(text);
}

}  // namespace

std::string LiveScreen::erasure(std::size_t columns) const {
  std::size_t rows = 0;
  for (const std::string& line : block_) {
    const std::size_t width = std::max<std::size_t>(shown_width(line), 1);
    rows += columns == 0 ? 1 : (width + columns - 1) / columns;
  }
  return rows == 0 ? "" : fmt::format("\r\x1b[{}A\x1b[J", rows);
}

void LiveScreen::show(std::string_view above, const std::vector<std::string>& block,
                      std::size_t columns) {
  std::string text = erasure(columns);
  text += above;
  for (const std::string& line : block) {
    text += line + '\n';
  }
  block_ = block;
  out_ << text << std::flush;  // in one write, so that nobody sees half of it
}

void LiveScreen::clear(std::size_t columns) {
  show("", {}, columns);
}

}  // namespace mstune::coordinator
