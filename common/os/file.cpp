#include "common/os/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "common/error.h"
#include "common/message.h"
#include "common/os/failure.h"
#include "common/os/new_file.h"

namespace mstune::os {
namespace {

UniqueFd open_file(const std::filesystem::path& path, int flags, unsigned mode) {
  UniqueFd file(::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, mode));
  if (!file.valid()) {
    throw environment_error("file.cannot_open", "cannot open {}: {}", path.string(), reason(errno));
  }
  return file;
}

}  // namespace

Error cannot_write(const std::filesystem::path& path, int error_number) {
  return environment_error("file.cannot_write", "cannot write {}: {}", path.string(),
                           reason(error_number));
}

std::string read_file(const std::filesystem::path& path, std::uint64_t size_max) {
  const UniqueFd file = open_file(path, O_RDONLY, 0);
  struct stat info {};
  if (::fstat(file.value(), &info) == 0 && S_ISDIR(info.st_mode)) {
    throw environment_error("file.cannot_read", "cannot read {}: {}", path.string(),
                            reason(EISDIR));
  }
  // The size that stat tells is a hint only: files in /proc have none, others still grow.
  std::string content;
  if (info.st_size > 0 && std::cmp_less_equal(info.st_size, size_max)) {
    content.reserve(static_cast<std::size_t>(info.st_size) + 1);
  }
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t count = ::read(file.value(), buffer.data(), buffer.size());
    if (count == 0) {
      return content;
    }
    if (count < 0) {
      if (errno == EINTR) {
        continue;
      }
      throw environment_error("file.cannot_read", "cannot read {}: {}", path.string(),
                              reason(errno));
    }
    if (content.size() + static_cast<std::size_t>(count) > size_max) {
      throw environment_error("file.too_large", "{} is larger than {}: is it the right file?",
                              path.string(), size_text(size_max));
    }
    content.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content,
                           unsigned mode) {
  NewFile file(path, mode);
  file.append(content);
  file.put_in_place();
}

void sync_directory(const std::filesystem::path& path) {
  const UniqueFd directory = open_file(path, O_RDONLY | O_DIRECTORY, 0);
  // Some file systems cannot do it (EINVAL): then there is nothing more to do.
  if (::fsync(directory.value()) != 0 && errno != EINVAL && errno != ENOTSUP) {
    throw cannot_write(path, errno);
  }
}

AppendFile::AppendFile(std::filesystem::path path, unsigned mode)
    : path_(std::move(path)), descriptor_(open_file(path_, O_WRONLY | O_APPEND | O_CREAT, mode)) {}

void AppendFile::append(std::string_view bytes) {
  if (!write_fully(descriptor_.value(), bytes)) {
    throw cannot_write(path_, errno);
  }
}

void AppendFile::sync() {
  if (::fdatasync(descriptor_.value()) != 0 && errno != EINVAL) {
    throw cannot_write(path_, errno);
  }
}

}  // namespace mstune::os
