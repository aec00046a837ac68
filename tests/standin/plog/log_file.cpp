#include "tests/standin/plog/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <vector>

#include "tests/standin/plog/line_format.h"
#include "tests/standin/plog/log_directory.h"

namespace standin::plog {
namespace {

constexpr mode_t kActiveMode = 0640;
constexpr mode_t kArchiveMode = 0440;

}  // namespace

Written LogFile::append(std::string_view chunk, std::int64_t now_us) {
  if (!make_directory(directory_)) {
    return {};
  }
  choose_file(static_cast<std::int64_t>(chunk.size()), now_us);
  const int file = open(path_.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, kActiveMode);
  if (file < 0) {
    return {};
  }
  const ssize_t written = write(file, chunk.data(), chunk.size());
  fchmod(file, kActiveMode);
  [[maybe_unused]] const int owned = fchown(file, getuid(), getgid());
  close(file);
  return {true, written, written == static_cast<ssize_t>(chunk.size())};
}

void LogFile::choose_file(std::int64_t chunk_bytes, std::int64_t now_us) {
  struct stat status {};
  if (!path_.empty() && stat(path_.c_str(), &status) == 0) {
    if (status.st_size + chunk_bytes <= kBytesMax) {
      return;
    }
    chmod(path_.c_str(), kArchiveMode);
  }
  // A name holds milliseconds: the next one must be newer even within the same one, for the order
  // of names is the order of time.
  constexpr std::int64_t millisecond_us = 1000;
  named_us_ = std::max(now_us, named_us_ + millisecond_us);
  path_ = directory_ + "/" + file_name(pid_, local_time(named_us_));
  delete_oldest();
}

void LogFile::delete_oldest() const {
  const std::string prefix = file_prefix(pid_);
  std::vector<std::filesystem::path> files;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(directory_, failed), end; entry != end;
       entry.increment(failed)) {
    if (entry->path().filename().string().compare(0, prefix.size(), prefix) == 0) {
      files.push_back(entry->path());
    }
  }
  // The new file is not there yet, and counts.
  std::sort(files.begin(), files.end());
  for (std::size_t kept = files.size(), oldest = 0; kept + 1 > static_cast<std::size_t>(files_max_);
       --kept, ++oldest) {
    std::filesystem::remove(files[oldest], failed);
  }
}

}  // namespace standin::plog
