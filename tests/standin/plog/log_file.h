// The files of one process in one channel: appends chunks, rotates, deletes the oldest.
//
// Not synchronised. Nothing stays open between two chunks.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace standin::plog {

// What a write left on disk.
struct Written {
  bool opened = false;
  std::int64_t bytes = -1;
  bool whole = false;

  [[nodiscard]] bool cut() const { return opened && !whole; }
};

class LogFile {
 public:
  // Limit of a file; a chunk that would pass it begins a new one.
  static constexpr std::int64_t kBytesMax = std::int64_t{20} * 1024 * 1024;

  // `directory` is "<root>/<channel>/plog"; the one above must exist at the first append.
  LogFile(std::string directory, pid_t pid, int files_max)
      : directory_(std::move(directory)), pid_(pid), files_max_(files_max) {}

  // Open, one write, close. After a short write the file ends wherever the disk was full, and the
  // rest of the chunk is lost. `now_us`: wall clock, microseconds since the epoch.
  Written append(std::string_view chunk, std::int64_t now_us);

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void choose_file(std::int64_t chunk_bytes, std::int64_t now_us);
  void delete_oldest() const;

  std::string directory_;
  pid_t pid_;
  int files_max_;
  std::string path_;  // empty before the first file
  std::int64_t named_us_ = 0;
};

}  // namespace standin::plog
