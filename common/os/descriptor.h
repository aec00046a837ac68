// File descriptors: who owns one, and the few things one does with any of them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "common/time.h"

namespace mstune::os {

// Owns a descriptor and closes it.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int descriptor) : descriptor_(descriptor) {}
  UniqueFd(UniqueFd&& other) noexcept : descriptor_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    reset(other.release());
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { reset(); }

  [[nodiscard]] int value() const { return descriptor_; }
  [[nodiscard]] bool valid() const { return descriptor_ >= 0; }
  int release() { return std::exchange(descriptor_, -1); }
  void reset(int descriptor = -1);

 private:
  int descriptor_ = -1;
};

// Both ends are close-on-exec and blocking.
struct Pipe {
  UniqueFd read;
  UniqueFd write;
};
Pipe make_pipe();

void set_nonblocking(int descriptor);

// What one read gave: bytes, or nothing for now (both empty and false), or the end.
struct Chunk {
  std::string_view bytes;  // inside the buffer that was passed
  bool ended = false;      // end of file, or an error that will not go away
};

// Reads once. The descriptor should be non-blocking.
Chunk read_chunk(int descriptor, std::span<char> buffer);

// Writes everything; false when that fails, with errno set.
[[nodiscard]] bool write_fully(int descriptor, std::string_view bytes);

// Waits until the descriptor can be read or its peer is gone; false when `wait` passes first.
// For tools and tests: the loops poll many things at once.
bool wait_readable(int descriptor, Duration wait);

}  // namespace mstune::os
