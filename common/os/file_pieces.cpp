#include "common/os/file_pieces.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "common/error.h"
#include "common/os/descriptor.h"
#include "common/os/failure.h"

namespace mstune::os {

void read_in_pieces(const std::filesystem::path& path,
                    const std::function<void(std::string_view)>& sink) {
  // Large enough that a system call costs little, small enough to stay in the cache while a piece
  // is looked at.
  constexpr std::size_t kPiece = 64 * 1024;
  // O_NONBLOCK: opening a pipe that somebody left among the logs must not hold us up.
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file.valid()) {
    throw environment_error("file.cannot_open", "cannot open {}: {}", path.string(), reason(errno));
  }
  std::vector<char> buffer(kPiece);
  while (true) {
    const ssize_t got = ::read(file.value(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      throw environment_error("file.cannot_read", "cannot read {}: {}", path.string(),
                              reason(errno));
    }
    if (got == 0) {
      return;
    }
    sink({buffer.data(), static_cast<std::size_t>(got)});
  }
}

}  // namespace mstune::os
