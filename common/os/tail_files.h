// The files that a LogTail follows: which are open, how far each is read, whose turn it is.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/lines.h"
#include "common/os/descriptor.h"
#include "common/os/log_tail.h"

namespace mstune::os {

class TailFiles {
 public:
  // `root` with its final '/' is cut off paths to make the names of sources.
  TailFiles(std::string root, LogTail::Filter filter, LogTail::Sink sink, LogTailLimits limits);

  // There is, or may be, something at this path. Opens new files at once, while they exist.
  void look_at(const std::string& path);

  // The content at this path changed.
  void changed(const std::string& path);

  // Nothing is at this path any more. What is open is still read to its end.
  void removed(const std::string& path);

  // The file left this path and may turn up at another one: what was read of it stays known.
  void moved(const std::string& path);

  // Between these two every file that still has a name is passed to look_at().
  void begin_look();
  void end_look();

  // Reads what waits, each file in its turn, about `bytes_max` bytes. True: more waits.
  bool read(std::size_t bytes_max);

  // Delivers the unterminated tails. For the end, when nothing waits.
  void finish_lines();

  // Bytes of the file at this path; 0 for one that is not known.
  [[nodiscard]] std::uint64_t read_up_to(const std::string& path) const;

  void count_unreadable() { ++counts_.unreadable; }
  [[nodiscard]] const LogTailCounts& counts() const { return counts_; }

 private:
  using Key = std::pair<dev_t, ino_t>;

  struct File {
    Key key;
    std::string path;    // where it was last seen
    std::string source;  // where it was first seen, below the root
    UniqueFd descriptor;
    std::uint64_t offset = 0;
    LineSplitter lines;
    bool waiting = false;     // in waiting_
    bool nameless = false;    // removed, still open: may be written to by whoever has it open
    bool unreadable = false;  // counted as such
    bool missed = false;      // changed, and could not be opened since
    std::uint64_t look = 0;   // the last look that found it
    std::optional<std::list<File*>::iterator> idle;  // its place in idle_
  };

  File* file_gone_from(const std::string& path);
  File& follow(const Key& key, const std::string& path);
  void move_to(File& file, const std::string& path);
  void enqueue(File& file);
  bool open(File& file);
  bool reopen(File& file);
  void make_room();
  void rest(File& file);
  void let_go(File& file);
  void forget(File& file);
  std::size_t read_once(File& file);
  void settle(File& file, bool progressed);
  void start_over(File& file);
  LineSink line_sink(const File& file);

  std::string root_;
  LogTail::Filter filter_;
  LogTail::Sink sink_;
  LogTailLimits limits_;
  LogTailCounts counts_;
  std::map<Key, std::unique_ptr<File>> files_;
  std::unordered_map<std::string, File*> by_path_;
  std::unordered_map<std::string, unsigned> generations_;  // files so far at each path
  std::deque<File*> waiting_;
  std::list<File*> idle_;  // open and read to the end, longest unchanged first
  std::vector<File*> nameless_;
  std::size_t open_count_ = 0;
  std::uint64_t look_ = 0;
  std::vector<char> buffer_;
};

}  // namespace mstune::os
