#include "agent/plog_limit.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <vector>

#include "common/os/descriptor.h"

namespace mstune::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kHoleBlock = 4096;  // holes are whole blocks

struct PlogFile {
  fs::path path;
  std::pair<dev_t, ino_t> key;
  std::uint64_t size = 0;
  std::uint64_t on_disk = 0;
  std::pair<time_t, long> changed;
};

std::optional<PlogFile> file_at(const fs::path& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return std::nullopt;
  }
  return PlogFile{path,
                  {info.st_dev, info.st_ino},
                  static_cast<std::uint64_t>(info.st_size),
                  static_cast<std::uint64_t>(info.st_blocks) * 512,
                  {info.st_mtim.tv_sec, info.st_mtim.tv_nsec}};
}

// The longest unchanged first.
std::vector<PlogFile> files_below(const fs::path& directory) {
  std::vector<PlogFile> files;
  std::error_code failure;
  fs::recursive_directory_iterator walk(directory, failure);
  for (; !failure && walk != fs::recursive_directory_iterator(); walk.increment(failure)) {
    if (auto file = file_at(walk->path())) {
      files.push_back(std::move(*file));
    }
  }
  std::sort(files.begin(), files.end(), [](const PlogFile& left, const PlogFile& right) {
    return std::tie(left.changed, left.path) < std::tie(right.changed, right.path);
  });
  return files;
}

bool free_text(const fs::path& path, std::uint64_t begin, std::uint64_t length) {
  const os::UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  return file.valid() && ::fallocate(file.value(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                     static_cast<off_t>(begin), static_cast<off_t>(length)) == 0;
}

}  // namespace

void PlogLimit::apply(const ReadUpTo& read_up_to) {
  const std::vector<PlogFile> files = files_below(directory_);
  std::uint64_t total = 0;
  for (const PlogFile& file : files) {
    total += file.on_disk;
  }
  if (total <= limit_bytes_) {
    return;
  }
  // Somewhat more than has to go, so that it is not a little each time.
  std::uint64_t excess = total - limit_bytes_ / 4 * 3;
  for (const PlogFile& file : files) {
    const auto known = begins_.find(file.key);
    const std::uint64_t begin = known == begins_.end() ? 0 : known->second;
    const std::uint64_t end = std::min(read_up_to(file.path), file.size) / kHoleBlock * kHoleBlock;
    const std::uint64_t wanted = (excess + kHoleBlock - 1) / kHoleBlock * kHoleBlock;
    if (end <= begin || !free_text(file.path, begin, std::min(end - begin, wanted))) {
      continue;
    }
    const std::uint64_t freed = std::min(end - begin, wanted);
    begins_[file.key] = begin + freed;
    dropped_bytes_ += freed;
    if (freed >= excess) {
      return;
    }
    excess -= freed;
  }
}

std::uint64_t PlogLimit::bytes_on_disk() const {
  std::uint64_t total = 0;
  for (const PlogFile& file : files_below(directory_)) {
    total += file.on_disk;
  }
  return total;
}

std::uint64_t PlogLimit::begin_of(const fs::path& path) const {
  const auto file = file_at(path);
  const auto known = file ? begins_.find(file->key) : begins_.end();
  return known == begins_.end() ? 0 : known->second;
}

}  // namespace mstune::agent
