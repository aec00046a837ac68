// Keeps what a trial's plog files take on disk within a limit: the oldest text goes first, and only
// what the live tail has read, so that no STEP line goes with it.
//
// Text is freed inside the files (a hole), since the library still writes to them and counts on
// their names; their sizes do not change.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <utility>

namespace mstune::agent {

class PlogLimit {
 public:
  // How many bytes of the file at this path were read.
  using ReadUpTo = std::function<std::uint64_t(const std::filesystem::path& path)>;

  PlogLimit(std::filesystem::path directory, std::uint64_t limit_bytes)
      : directory_(std::move(directory)), limit_bytes_(limit_bytes) {}

  // Looks at all files, and frees text when they take more than the limit.
  void apply(const ReadUpTo& read_up_to);

  // A look is worth its while when so many bytes were written since the last one.
  [[nodiscard]] std::uint64_t worth_a_look_bytes() const { return limit_bytes_ / 8; }
  // What all files take on disk now, with what nobody has read yet.
  [[nodiscard]] std::uint64_t bytes_on_disk() const;
  [[nodiscard]] std::uint64_t limit_bytes() const { return limit_bytes_; }
  // The first byte of the file at this path that is still there.
  [[nodiscard]] std::uint64_t begin_of(const std::filesystem::path& path) const;
  [[nodiscard]] std::uint64_t dropped_bytes() const { return dropped_bytes_; }

 private:
  using Key = std::pair<dev_t, ino_t>;

  std::filesystem::path directory_;
  std::uint64_t limit_bytes_;
  std::map<Key, std::uint64_t> begins_;  // of the files that lost text
  std::uint64_t dropped_bytes_ = 0;
};

}  // namespace mstune::agent
