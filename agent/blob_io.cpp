#include "agent/blob_io.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "common/chunker.h"
#include "common/os/side_by_side.h"

namespace mstune::agent::blob_io {
namespace {

// Reads up to `length` bytes into `buffer`; what was read, empty at the end and on an error.
std::string_view read_at(int descriptor, std::uint64_t offset, std::string& buffer,
                         std::size_t length) {
  std::size_t done = 0;
  while (done < length) {
    const ssize_t got =
        pread(descriptor, buffer.data() + done, length - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      break;
    }
    done += static_cast<std::size_t>(got);
  }
  return std::string_view(buffer).substr(0, done);
}

// Large enough for large folios of the page cache.
constexpr std::size_t kCopyStep = std::size_t{1} << 20U;

// Takes disk blocks for what is going to be written, where the file system can: writing is faster
// then, and a full disk is met before.
void reserve(Place place, std::uint64_t length, std::string_view name) {
  const bool taken =
      length == 0 || fallocate(place.file, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(place.offset),
                               static_cast<off_t>(length)) == 0;
  if (!taken && (errno == ENOSPC || errno == EDQUOT)) {
    throw write_error(name, errno);
  }
}

// Reading and writing is faster here than copy_file_range, which on file systems that share no
// blocks moves page after page. Writes to one file exclude each other: the second thread reads
// meanwhile.
bool copy_bytes(Place from, Place to, std::uint64_t length, std::string_view name) {
  const std::uint64_t steps = (length + kCopyStep - 1) / kCopyStep;
  const std::size_t threads = os::threads_for(std::min<std::uint64_t>(2, steps));
  std::atomic<bool> whole = true;
  reserve(to, length, name);
  os::side_by_side(threads, [&](std::size_t first) {
    std::string buffer(std::min<std::uint64_t>(kCopyStep, length), '\0');
    for (std::uint64_t step = first; step < steps && whole; step += threads) {
      const std::uint64_t at = step * kCopyStep;
      const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(kCopyStep, length - at));
      const std::string_view bytes = read_at(from.file, from.offset + at, buffer, part);
      write_at(to.file, to.offset + at, bytes, name);
      if (bytes.size() < part) {
        whole = false;
      }
    }
  });
  return whole;
}

// Sharing needs whole blocks at both ends.
constexpr std::uint64_t kBlock = 4096;

bool share_blocks(Place from, Place to, std::uint64_t length) {
  file_clone_range range{};
  range.src_fd = from.file;
  range.src_offset = from.offset;
  range.src_length = length;
  range.dest_offset = to.offset;
  return ioctl(to.file, FICLONERANGE, &range) == 0;
}

Place behind(Place place, std::uint64_t length) {
  return {place.file, place.offset + length};
}

}  // namespace

Error write_error(std::string_view name, int error) {
  if (error == ENOSPC || error == EDQUOT) {
    return environment_error("store.disk_full",
                             "the disk of the agent's store is full ({}): free some space, or run "
                             "mstune agents --purge",
                             std::strerror(error));
  }
  return environment_error("store.cannot_write", "the agent cannot write {} in its store: {}", name,
                           std::strerror(error));
}

os::UniqueFd open_in(const os::UniqueFd& directory, const std::string& name, int flags,
                     unsigned mode) {
  return os::UniqueFd(
      openat(directory.value(), name.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode));
}

std::string read_small(const os::UniqueFd& directory, const std::string& name,
                       std::size_t size_max) {
  const os::UniqueFd file = open_in(directory, name, O_RDONLY);
  struct stat status {};
  if (!file.valid() || fstat(file.value(), &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<std::uint64_t>(status.st_size) > size_max) {
    return {};
  }
  std::string content(static_cast<std::size_t>(status.st_size), '\0');
  return read_at(file.value(), 0, content, content.size()).size() == content.size() ? content
                                                                                    : std::string();
}

void write_small(const os::UniqueFd& directory, const std::string& name, std::string_view content) {
  const os::UniqueFd file = open_in(directory, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!file.valid()) {
    throw write_error(name, errno);
  }
  write_at(file.value(), 0, content, name);
}

void write_at(int descriptor, std::uint64_t offset, std::string_view bytes, std::string_view name) {
  while (!bytes.empty()) {
    const ssize_t put = pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) {
      continue;
    }
    if (put <= 0) {
      throw write_error(name, put == 0 ? ENOSPC : errno);
    }
    offset += static_cast<std::uint64_t>(put);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

std::vector<bool> sound_chunks(int descriptor, const Manifest& manifest) {
  std::vector<bool> sound(manifest.chunks.size());
  std::string buffer(kChunkMax, '\0');
  std::uint64_t data_from = 0;
  bool sees_holes = true;
  for (std::size_t i = 0; i < manifest.chunks.size(); ++i) {
    const Chunk& chunk = manifest.chunks[i];
    if (sees_holes && data_from < chunk.offset + 1) {
      const off_t found = lseek(descriptor, static_cast<off_t>(chunk.offset), SEEK_DATA);
      if (found < 0 && errno == ENXIO) {
        break;  // nothing but a hole from here on
      }
      sees_holes = found >= 0;
      data_from = static_cast<std::uint64_t>(std::max<off_t>(found, 0));
    }
    if (sees_holes && data_from >= chunk.offset + chunk.length) {
      continue;
    }
    const std::string_view bytes = read_at(descriptor, chunk.offset, buffer, chunk.length);
    sound[i] = bytes.size() == chunk.length && digest_of(bytes) == chunk.digest;
  }
  return sound;
}

bool copy_range(Place from, Place to, std::uint64_t length, std::string_view name) {
  const std::uint64_t before = (kBlock - from.offset % kBlock) % kBlock;
  const bool alike = from.offset % kBlock == to.offset % kBlock;
  if (alike && length >= before + kBlock) {
    const std::uint64_t shared = (length - before) / kBlock * kBlock;
    if (share_blocks(behind(from, before), behind(to, before), shared)) {
      const std::uint64_t done = before + shared;
      return copy_bytes(from, to, before, name) &&
             copy_bytes(behind(from, done), behind(to, done), length - done, name);
    }
  }
  return copy_bytes(from, to, length, name);
}

}  // namespace mstune::agent::blob_io
