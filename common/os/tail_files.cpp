#include "common/os/tail_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace mstune::os {
namespace {

constexpr std::size_t kTurnBytes = std::size_t{128} << 10U;  // of one file before the next

// True when some process may still write to a file that has no name. The kernel grants a read
// lease only on a file that nobody has open for writing; where it grants none at all (another
// owner, a network file system) the answer is yes.
bool may_be_written(int descriptor) {
  // A broken lease sends a signal: one that is ignored by default, not SIGIO, which kills.
  ::fcntl(descriptor, F_SETSIG, SIGURG);
  if (::fcntl(descriptor, F_SETLEASE, F_RDLCK) != 0) {
    return true;
  }
  ::fcntl(descriptor, F_SETLEASE, F_UNLCK);
  return false;
}

}  // namespace

TailFiles::TailFiles(std::string root, LogTail::Filter filter, LogTail::Sink sink,
                     LogTailLimits limits)
    : root_(std::move(root)),
      filter_(std::move(filter)),
      sink_(std::move(sink)),
      limits_(limits),
      buffer_(kTurnBytes) {}

TailFiles::File& TailFiles::follow(const Key& key, const std::string& path) {
  auto file = std::make_unique<File>();
  file->key = key;
  file->path = path;
  file->source = path.substr(std::min(root_.size(), path.size()));
  if (const unsigned generation = ++generations_[path]; generation > 1) {
    file->source += "#" + std::to_string(generation);
  }
  file->lines = LineSplitter(limits_.line_max);
  ++counts_.files;
  return *(files_[key] = std::move(file));
}

void TailFiles::move_to(File& file, const std::string& path) {
  if (const auto old = by_path_.find(file.path); old != by_path_.end() && old->second == &file) {
    by_path_.erase(old);
  }
  file.path = path;
  by_path_[path] = &file;
}

void TailFiles::look_at(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return;
  }
  const Key key{info.st_dev, info.st_ino};
  auto found = files_.find(key);
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (found != files_.end() && !found->second->descriptor.valid() && found->second->path != path &&
      size < found->second->offset) {
    // The file that had this inode went while it was closed; its number was given away again.
    forget(*found->second);
    found = files_.end();
  }
  File& file = found == files_.end() ? follow(key, path) : *found->second;
  if (const auto before = by_path_.find(path);
      before != by_path_.end() && before->second != &file) {
    moved(path);
  }
  move_to(file, path);
  file.look = look_;
  file.missed = false;
  if (size != file.offset) {
    enqueue(file);
  }
  if (!file.descriptor.valid() && (file.waiting || size == 0)) {
    make_room();
    if (open_count_ < limits_.descriptors_max && open(file) && !file.waiting) {
      rest(file);
    }
  }
}

void TailFiles::changed(const std::string& path) {
  const auto found = by_path_.find(path);
  if (found != by_path_.end() && found->second->descriptor.valid()) {
    enqueue(*found->second);
    return;
  }
  if (found != by_path_.end()) {
    found->second->missed = true;  // unless it is still there
  }
  look_at(path);
}

// The file that was known at this path, unless it is still there: news can be older than what was
// seen since.
TailFiles::File* TailFiles::file_gone_from(const std::string& path) {
  const auto found = by_path_.find(path);
  if (found == by_path_.end()) {
    return nullptr;
  }
  File* file = found->second;
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0 && Key{info.st_dev, info.st_ino} == file->key) {
    return nullptr;
  }
  by_path_.erase(found);
  return file;
}

void TailFiles::removed(const std::string& path) {
  if (File* file = file_gone_from(path); file != nullptr) {
    let_go(*file);
  }
}

void TailFiles::moved(const std::string& path) {
  if (File* file = file_gone_from(path); file != nullptr && file->descriptor.valid()) {
    enqueue(*file);
  }
}

void TailFiles::let_go(File& file) {
  if (file.descriptor.valid()) {
    enqueue(file);
  } else if (!file.waiting) {
    counts_.lost_files += file.missed ? 1 : 0;
    file.lines.finish(line_sink(file));
    forget(file);
  }
}

void TailFiles::begin_look() {
  ++look_;
  for (const auto& [key, file] : files_) {
    if (file->nameless) {
      enqueue(*file);
    }
  }
}

void TailFiles::end_look() {
  std::vector<File*> gone;
  for (const auto& [key, file] : files_) {
    if (file->look != look_) {
      gone.push_back(file.get());
    }
  }
  std::for_each(gone.begin(), gone.end(), [this](File* file) { let_go(*file); });
}

void TailFiles::enqueue(File& file) {
  if (file.idle) {
    idle_.erase(*file.idle);
    file.idle.reset();
  }
  if (!file.waiting) {
    file.waiting = true;
    waiting_.push_back(&file);
  }
}

bool TailFiles::open(File& file) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  UniqueFd descriptor(::open(file.path.c_str(), kFlags));
  struct stat info {};
  if (descriptor.valid() && ::fstat(descriptor.value(), &info) == 0 &&
      Key{info.st_dev, info.st_ino} == file.key) {
    file.descriptor = std::move(descriptor);
    ++open_count_;
    return true;
  }
  if (!descriptor.valid() && errno != ENOENT && !file.unreadable) {
    file.unreadable = true;
    ++counts_.unreadable;
  }
  return false;
}

void TailFiles::make_room() {
  while (open_count_ >= limits_.descriptors_max && !idle_.empty()) {
    File& file = *idle_.front();
    idle_.pop_front();
    file.idle.reset();
    file.descriptor.reset();
    --open_count_;
  }
}

void TailFiles::rest(File& file) {
  idle_.push_back(&file);
  file.idle = std::prev(idle_.end());
}

void TailFiles::forget(File& file) {
  if (file.idle) {
    idle_.erase(*file.idle);
  }
  if (file.descriptor.valid()) {
    --open_count_;
  }
  if (file.waiting) {
    std::erase(waiting_, &file);
  }
  std::erase(nameless_, &file);
  if (const auto found = by_path_.find(file.path);
      found != by_path_.end() && found->second == &file) {
    by_path_.erase(found);
  }
  files_.erase(Key(file.key));
}

LineSink TailFiles::line_sink(const File& file) {
  return [this, &file](std::uint64_t number, std::string_view line) {
    ++counts_.lines;
    if (filter_(line)) {
      sink_(file.source, number, line);
    }
  };
}

std::size_t TailFiles::read_once(File& file) {
  const ssize_t count = ::pread(file.descriptor.value(), buffer_.data(), buffer_.size(),
                                static_cast<off_t>(file.offset));
  if (count <= 0) {
    return 0;
  }
  const auto size = static_cast<std::size_t>(count);
  file.offset += size;
  counts_.bytes += size;
  file.lines.feed(std::string_view(buffer_.data(), size), line_sink(file));
  return size;
}

void TailFiles::start_over(File& file) {
  // Cut in place: what stands there now is new, and the numbers of its lines go on.
  file.lines.finish(line_sink(file));
  file.offset = 0;
}

// After a read that reached the end: waits again when there is more after all, rests otherwise,
// and is let go when it has no name and no writer.
void TailFiles::settle(File& file, bool progressed) {
  struct stat info {};
  if (::fstat(file.descriptor.value(), &info) != 0) {
    rest(file);
    return;
  }
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size < file.offset) {
    start_over(file);
    progressed = true;
  }
  // Without progress the system cannot read what it says is there: the next change may help.
  if (size > file.offset && progressed) {
    enqueue(file);
    return;
  }
  if (info.st_nlink > 0) {
    rest(file);
    return;
  }
  if (!file.nameless) {
    file.nameless = true;
    nameless_.push_back(&file);
  }
  // A writer may have written and closed since the look at the size, hence the second look.
  if (!may_be_written(file.descriptor.value()) && ::fstat(file.descriptor.value(), &info) == 0 &&
      static_cast<std::uint64_t>(info.st_size) == file.offset) {
    file.lines.finish(line_sink(file));
    forget(file);
  }
}

// Opens a file whose turn has come; false when that fails. One that has no path any more is
// forgotten; another one may still turn up elsewhere.
bool TailFiles::reopen(File& file) {
  make_room();
  if (open(file)) {
    return true;
  }
  file.missed = true;
  const auto found = by_path_.find(file.path);
  if (found == by_path_.end() || found->second != &file) {
    let_go(file);
  }
  return false;
}

bool TailFiles::read(std::size_t bytes_max) {
  for (File* file : nameless_) {
    enqueue(*file);
  }
  std::size_t bytes = 0;
  while (!waiting_.empty() && bytes < bytes_max) {
    File& file = *waiting_.front();
    waiting_.pop_front();
    file.waiting = false;
    if (!file.descriptor.valid() && !reopen(file)) {
      continue;
    }
    const std::size_t count = read_once(file);
    bytes += count;
    if (count == buffer_.size()) {
      enqueue(file);
    } else {
      settle(file, count > 0);
    }
  }
  return !waiting_.empty();
}

void TailFiles::finish_lines() {
  for (const auto& [key, file] : files_) {
    file->lines.finish(line_sink(*file));
  }
}

std::uint64_t TailFiles::read_up_to(const std::string& path) const {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? 0 : found->second->offset;
}

}  // namespace mstune::os
