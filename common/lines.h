// Bytes in any cut → whole lines, in bounded memory.
//
// The live tail, the output of a program and the reader of finished files all split with this, so
// that a line is the same line wherever it was read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace mstune {

// A line without its '\n'; a '\r' before it stays. `number` counts from 1.
using LineSink = std::function<void(std::uint64_t number, std::string_view line)>;

class LineSplitter {
 public:
  // Of a longer line only the first `length_max` bytes are delivered, once, when it ends.
  explicit LineSplitter(std::size_t length_max = std::size_t{64} * 1024)
      : length_max_(length_max) {}

  // Delivers each line that ends in `bytes`; holds an unterminated tail back.
  void feed(std::string_view bytes, const LineSink& sink);

  // Delivers the unterminated tail, if there is one: its writer is gone.
  void finish(const LineSink& sink);

 private:
  void keep(std::string_view part);

  std::size_t length_max_;
  std::string tail_;
  bool open_ = false;  // a line has begun and not ended
  std::uint64_t number_ = 1;
};

}  // namespace mstune
