#include "common/os/source_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/chunker.h"
#include "common/error.h"
#include "common/os/side_by_side.h"

namespace mstune::os {
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 20U;
static_assert(kBufferSize >= 2 * kChunkMax);
// Enough for several processors to digest, little enough for their caches.
constexpr std::size_t kBatchSize = 4 * kBufferSize;

Error cannot_read(const std::filesystem::path& path, std::string_view why) {
  return environment_error("file.cannot_read", "cannot read {}: {}", path.string(), why);
}

FileStamp stamp_of(const std::filesystem::path& path, int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) {
    throw cannot_read(path, std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    throw cannot_read(path, "it is not a regular file");
  }
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
          std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

Error changed(const std::filesystem::path& path) {
  return environment_error("file.changed",
                           "{} changed while it was read: something still writes to it; run again "
                           "when it is complete",
                           path.string());
}

void require_unchanged(const SourceFile& file) {
  if (stamp_of(file.path, file.descriptor.value()) != file.stamp) {
    throw changed(file.path);
  }
}

// Reads up to `length` bytes; fewer only at the end of the file.
std::size_t read_at(const SourceFile& file, std::uint64_t offset, char* to, std::size_t length) {
  std::size_t done = 0;
  while (done < length) {
    const ssize_t got =
        pread(file.descriptor.value(), to + done, length - done, static_cast<off_t>(offset + done));
    if (got == 0) {
      break;
    }
    if (got < 0) {
      if (errno == EINTR) {
        continue;
      }
      throw cannot_read(file.path, std::strerror(errno));
    }
    done += static_cast<std::size_t>(got);
  }
  return done;
}

// A view that moves forward over a file, so that the bytes from its position on lie in one piece.
class Window {
 public:
  Window(const SourceFile& file, std::size_t size) : file_(file), buffer_(size, '\0') {}

  // The bytes [offset, offset + length), fewer at the end of the file; length is at most the
  // window's size. Valid until the next call. Going back is possible and costs a read.
  std::string_view at(std::uint64_t offset, std::size_t length) {
    if (offset < start_ || offset + length > start_ + filled_) {
      move_to(offset);
    }
    const auto skipped = static_cast<std::size_t>(offset - start_);
    return std::string_view(buffer_).substr(skipped, std::min(length, filled_ - skipped));
  }

 private:
  void move_to(std::uint64_t offset) {
    std::size_t kept = 0;
    if (offset >= start_ && offset < start_ + filled_) {
      kept = static_cast<std::size_t>(start_ + filled_ - offset);
      std::memmove(buffer_.data(), buffer_.data() + (filled_ - kept), kept);
    }
    start_ = offset;
    filled_ = kept;
    filled_ += read_at(file_, offset + kept, buffer_.data() + kept, buffer_.size() - kept);
  }

  const SourceFile& file_;
  std::string buffer_;
  std::uint64_t start_ = 0;  // in the file
  std::size_t filled_ = 0;
};

// Recognizes chunks of a sibling where they are expected: behind the last one that was recognized,
// or where they would be if nothing but bytes in between had changed.
class SiblingMatch {
 public:
  explicit SiblingMatch(const Sibling& sibling)
      : manifest_(*sibling.manifest), window_(*sibling.file, kBufferSize) {
    for (std::size_t i = 0; i < manifest_.chunks.size(); ++i) {
      by_digest_.emplace(manifest_.chunks[i].digest, i);
    }
  }

  // The sibling's chunk that `ahead`, the bytes from `offset` on (all that is left of the file, or
  // kChunkMax of them), begins with; null when they do not begin with the expected one.
  const mstune::Chunk* recognize(std::uint64_t offset, std::string_view ahead) {
    const mstune::Chunk* chunk = expected(offset);
    if (chunk == nullptr || chunk->length > ahead.size()) {
      return nullptr;
    }
    // The last chunk ended with its file, and says nothing about where a longer one is cut.
    if (chunk == &manifest_.chunks.back() && chunk->length != ahead.size()) {
      return nullptr;
    }
    if (window_.at(chunk->offset, chunk->length) != ahead.substr(0, chunk->length)) {
      return nullptr;
    }
    shift_ = offset - chunk->offset;
    next_ = static_cast<std::size_t>(chunk - manifest_.chunks.data()) + 1;
    return chunk;
  }

  // Learns from a chunk that was cut and digested after all.
  void learn(std::uint64_t offset, const Digest& digest) {
    const auto known = by_digest_.find(digest);
    next_.reset();
    if (known != by_digest_.end()) {
      shift_ = offset - manifest_.chunks[known->second].offset;
      next_ = known->second + 1;
    }
  }

 private:
  const mstune::Chunk* expected(std::uint64_t offset) const {
    if (next_) {
      return *next_ < manifest_.chunks.size() ? &manifest_.chunks[*next_] : nullptr;
    }
    const auto found = std::lower_bound(
        manifest_.chunks.begin(), manifest_.chunks.end(), offset - shift_,
        [](const mstune::Chunk& chunk, std::uint64_t wanted) { return chunk.offset < wanted; });
    const bool exact = found != manifest_.chunks.end() && found->offset == offset - shift_;
    return exact ? &*found : nullptr;
  }

  const Manifest& manifest_;
  Window window_;
  std::unordered_map<Digest, std::size_t, DigestHash> by_digest_;
  std::optional<std::size_t> next_ = 0;
  std::uint64_t shift_ = 0;  // wraps around when this file is behind its sibling
};

bool is_of_use(const Sibling& sibling) {
  if (sibling.file == nullptr || sibling.manifest == nullptr || sibling.manifest->chunks.empty()) {
    return false;
  }
  try {
    require_unchanged(*sibling.file);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// The bytes from `offset` on, up to `length_max` of them or to the end of the file.
std::string_view bytes_ahead(const SourceFile& file, Window& window, std::uint64_t offset,
                             std::size_t length_max) {
  const auto wanted =
      static_cast<std::size_t>(std::min<std::uint64_t>(length_max, file.stamp.size - offset));
  const std::string_view ahead = window.at(offset, wanted);
  if (ahead.size() < wanted) {
    throw changed(file.path);
  }
  return ahead;
}

void require_going_on(const SourceFile& file, const std::stop_token& stop) {
  if (stop.stop_requested()) {
    throw environment_error("file.reading_cancelled", "reading {} was cancelled",
                            file.path.string());
  }
}

// The next chunk of bytes that begin behind a cut and go on for kChunkMax or to the end.
std::size_t next_chunk(Chunker& chunker, std::string_view ahead) {
  const std::size_t length =
      chunker.find_cut(ahead.substr(0, kChunkMax)).value_or(std::min(ahead.size(), kChunkMax));
  chunker.restart();
  return length;
}

Manifest read_beside(const SourceFile& file, const std::stop_token& stop, SiblingMatch& sibling) {
  Window window(file, kBufferSize);
  Chunker chunker;
  ManifestBuilder builder;
  while (builder.size() < file.stamp.size) {
    require_going_on(file, stop);
    const std::uint64_t offset = builder.size();
    const std::string_view ahead = bytes_ahead(file, window, offset, kChunkMax);
    const mstune::Chunk* known = sibling.recognize(offset, ahead);
    if (known != nullptr) {
      builder.add(known->digest, known->length);
      continue;
    }
    const std::size_t length = next_chunk(chunker, ahead);
    const Digest digest = digest_of(ahead.substr(0, length));
    builder.add(digest, length);
    sibling.learn(offset, digest);
  }
  return builder.finish();
}

std::vector<Digest> digests_of(const std::vector<std::string_view>& chunks) {
  constexpr std::size_t kThreadsMax = 4;  // more would take the host from others
  const std::size_t threads = threads_for(std::min(kThreadsMax, chunks.size()));
  std::vector<Digest> digests(chunks.size());
  side_by_side(threads, [&](std::size_t first) {
    for (std::size_t i = first; i < chunks.size(); i += threads) {
      digests[i] = digest_of(chunks[i]);
    }
  });
  return digests;
}

Manifest read_alone(const SourceFile& file, const std::stop_token& stop) {
  Window window(file, kBatchSize);
  Chunker chunker;
  ManifestBuilder builder;
  while (builder.size() < file.stamp.size) {
    require_going_on(file, stop);
    const std::string_view ahead = bytes_ahead(file, window, builder.size(), kBatchSize);
    const bool at_end = builder.size() + ahead.size() == file.stamp.size;
    std::vector<std::string_view> chunks;
    for (std::string_view rest = ahead; at_end ? !rest.empty() : rest.size() >= kChunkMax;) {
      chunks.push_back(rest.substr(0, next_chunk(chunker, rest)));
      rest.remove_prefix(chunks.back().size());
    }
    const std::vector<Digest> digests = digests_of(chunks);
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      builder.add(digests[i], chunks[i].size());
    }
  }
  return builder.finish();
}

}  // namespace

SourceFile open_source(const std::filesystem::path& path) {
  // Without O_NONBLOCK a named pipe would wait for its writer before it could be refused.
  UniqueFd descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!descriptor.valid()) {
    throw cannot_read(path, std::strerror(errno));
  }
  const FileStamp stamp = stamp_of(path, descriptor.value());
  return {path, std::move(descriptor), stamp};
}

Manifest compute_manifest(const SourceFile& file, const std::stop_token& stop,
                          const Sibling& sibling) {
  if (is_of_use(sibling)) {
    try {
      SiblingMatch match(sibling);
      Manifest manifest = read_beside(file, stop, match);
      require_unchanged(*sibling.file);
      require_unchanged(file);
      return manifest;
    } catch (const Error& error) {
      // The sibling's trouble is not this file's.
      if (stop.stop_requested() || error.kind() != ErrorKind::environment) {
        throw;
      }
    }
  }
  require_unchanged(file);
  Manifest manifest = read_alone(file, stop);
  require_unchanged(file);
  return manifest;
}

std::string read_piece(const SourceFile& file, std::uint64_t offset, std::size_t length) {
  require_unchanged(file);
  std::string bytes(length, '\0');
  if (read_at(file, offset, bytes.data(), length) < length) {
    throw changed(file.path);
  }
  return bytes;
}

}  // namespace mstune::os
