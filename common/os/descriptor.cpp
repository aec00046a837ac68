#include "common/os/descriptor.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include "common/error.h"
#include "common/os/failure.h"

namespace mstune::os {

void UniqueFd::reset(int descriptor) {
  if (descriptor_ >= 0 && descriptor_ != descriptor) {
    ::close(descriptor_);
  }
  descriptor_ = descriptor;
}

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw environment_error("descriptor.no_pipe", "cannot make a pipe: {}", reason(errno));
  }
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void set_nonblocking(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0 || ::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) != 0) {
    throw environment_error("descriptor.cannot_set", "cannot make descriptor {} non-blocking: {}",
                            descriptor, reason(errno));
  }
}

Chunk read_chunk(int descriptor, std::span<char> buffer) {
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) {
      return {{buffer.data(), static_cast<std::size_t>(count)}, false};
    }
    if (count == 0) {
      return {{}, true};
    }
    if (errno == EAGAIN) {
      return {};
    }
    if (errno != EINTR) {
      return {{}, true};
    }
  }
}

bool write_fully(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool wait_readable(int descriptor, Duration wait) {
  const auto end = after(std::chrono::steady_clock::now(), wait);
  pollfd entry{descriptor, POLLIN, 0};
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    constexpr std::chrono::milliseconds::rep kLongest = 3'600'000;
    const auto limit = std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, kLongest);
    const int count = ::poll(&entry, 1, static_cast<int>(limit));
    if (count > 0) {
      return true;
    }
    if (count < 0 && errno != EINTR) {
      return false;
    }
    if (count == 0 && limit < kLongest) {
      return false;
    }
  }
}

}  // namespace mstune::os
