// Lines that wait for the next flush, in a bounded number of bytes. Pure, not synchronised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace standin::plog {

class LineBuffer {
 public:
  explicit LineBuffer(std::size_t capacity) : capacity_(capacity) {}

  [[nodiscard]] bool fits(std::string_view line) const {
    return bytes_.size() - begin_ + line.size() <= capacity_;
  }
  [[nodiscard]] bool empty() const { return lengths_.empty(); }
  // Above three quarters: the flush thread is woken before its time.
  [[nodiscard]] bool nearly_full() const { return bytes_.size() - begin_ > capacity_ / 4 * 3; }

  // Takes a line; the oldest ones go when it does not fit. Returns how many went.
  std::size_t push(std::string_view line);

  // Exchanges the contents with `chunk`, whose own bytes are thrown away but whose memory is the
  // second buffer.
  void swap_into(std::string& chunk);

  void clear();

 private:
  std::size_t capacity_;
  std::string bytes_;
  std::size_t begin_ = 0;  // what stands before was dropped
  std::deque<std::size_t> lengths_;
};

}  // namespace standin::plog
