#include "tests/standin/plog/line_buffer.h"

namespace standin::plog {

std::size_t LineBuffer::push(std::string_view line) {
  std::size_t dropped = 0;
  while (!fits(line) && !lengths_.empty()) {
    begin_ += lengths_.front();
    lengths_.pop_front();
    ++dropped;
  }
  // Moving the rest to the front only once a whole buffer was dropped keeps a flood linear.
  if (begin_ >= capacity_) {
    bytes_.erase(0, begin_);
    begin_ = 0;
  }
  bytes_ += line;
  lengths_.push_back(line.size());
  return dropped;
}

void LineBuffer::swap_into(std::string& chunk) {
  bytes_.erase(0, begin_);
  chunk.clear();
  chunk.swap(bytes_);
  clear();
}

void LineBuffer::clear() {
  bytes_.clear();
  begin_ = 0;
  lengths_.clear();
}

}  // namespace standin::plog
