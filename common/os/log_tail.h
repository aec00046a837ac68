// Follows every regular file below one directory, however late it appears, to its last byte.
//
// Watches directories with inotify (watch first, look after) and keeps files open by device and
// inode, so that one which rotation removes is still read to its end. Decides nothing about lines:
// a filter says which ones the sink gets. Links are not followed; pipes, sockets and devices are
// left alone. One thread; nothing waits and no clock is read.
//
// Not seen: a file that is made and removed again before the first look at it. Names may hold any
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace mstune::os {

struct LogTailLimits {
  std::size_t descriptors_max = 512;  // files kept open; the longest unchanged is closed first
  std::size_t line_max = 4096;        // bytes of a line that are kept
};

struct LogTailCounts {
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;       // all, accepted or not
  std::uint64_t files = 0;       // ever followed
  std::uint64_t unreadable = 0;  // files and directories that could not be opened or watched
  std::uint64_t lost_files = 0;  // changed and removed while closed: their end was not read
};

class LogTail {
 public:
  // True for a line that the sink should get. Called for every line: it should be quick.
  using Filter = std::function<bool(std::string_view line)>;
  // `source` is the path below the directory; of a second file at the same path it ends in "#2".
  // `number` counts all lines of the source from 1. The line has no '\n'.
  using Sink =
      std::function<void(const std::string& source, std::uint64_t number, std::string_view line)>;

  // Starts to follow. The directory must exist. Throws an Error when it cannot be watched.
  LogTail(const std::filesystem::path& directory, Filter filter, Sink sink,
          LogTailLimits limits = {});
  ~LogTail();
  LogTail(LogTail&& other) noexcept;
  LogTail& operator=(LogTail&& other) noexcept;
  LogTail(const LogTail&) = delete;
  LogTail& operator=(const LogTail&) = delete;

  // Readable when something changed below the directory.
  [[nodiscard]] int descriptor() const;

  // Takes up changes and reads about `bytes_max` bytes at most. True when more is there already:
  // call again without waiting. What a line needs to be whole is held back.
  bool read(std::size_t bytes_max = std::size_t{4} << 20U);

  // Looks at every directory and file anew; read() then finds what changed. For file systems that
  // report no changes (NFS), from a slow timer of the caller's, and wherever !is_watching_all().
  void rescan();

  // False when the system refused some watch (its limit is reached): rescan() some times a second.
  [[nodiscard]] bool is_watching_all() const;

  // When the writers are gone: like read(), after one last look at everything; once all is read
  // the unterminated tails are delivered as lines. True: not through, call again.
  bool finish(std::size_t bytes_max = std::size_t{4} << 20U);

  [[nodiscard]] const LogTailCounts& counts() const;

  // How many bytes of the file at this path were read; 0 for one that is not followed.
  [[nodiscard]] std::uint64_t read_up_to(const std::filesystem::path& path) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mstune::os
