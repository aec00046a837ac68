#include "common/lines.h"

#include <algorithm>

namespace mstune {

void LineSplitter::keep(std::string_view part) {
  open_ = true;
  tail_.append(part.substr(0, length_max_ - std::min(length_max_, tail_.size())));
}

void LineSplitter::feed(std::string_view bytes, const LineSink& sink) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    if (end == std::string_view::npos) {
      keep(bytes);
      return;
    }
    if (open_) {
      keep(bytes.substr(0, end));
      sink(number_, tail_);
      tail_.clear();
      open_ = false;
    } else {
      sink(number_, bytes.substr(0, std::min(end, length_max_)));
    }
    ++number_;
    bytes.remove_prefix(end + 1);
  }
}

void LineSplitter::finish(const LineSink& sink) {
  if (open_) {
    sink(number_, tail_);
    tail_.clear();
    open_ = false;
    ++number_;
  }
}

}  // namespace mstune
