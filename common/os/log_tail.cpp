#include "common/os/log_tail.h"

#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/os/failure.h"
#include "common/os/file.h"
#include "common/os/tail_files.h"
#include "common/os/tail_watch.h"

namespace mstune::os {
namespace {

// Without a final '/', so that each file has one spelling only.
std::string plain_path(const std::filesystem::path& directory) {
  const std::filesystem::path path = absolute_path(directory);
  return (path.has_filename() ? path : path.parent_path()).string();
}

}  // namespace

struct LogTail::State {
  State(std::string directory, Filter filter, Sink sink, LogTailLimits limits)
      : root(std::move(directory)), files(root + "/", std::move(filter), std::move(sink), limits) {}

  // Watches first and looks after: what appears in between is met twice, never missed.
  void explore(const std::string& start) {
    std::vector<std::string> directories{start};
    while (!directories.empty()) {
      const std::string directory = std::move(directories.back());
      directories.pop_back();
      if (!watch.add(directory) && errno != ENOENT && errno != ENOTDIR) {
        watching_all = false;
      }
      list(directory, directories);
    }
  }

  void list(const std::string& directory, std::vector<std::string>& directories) {
    std::error_code failure;
    std::filesystem::directory_iterator entries(directory, failure);
    if (failure && failure.value() != ENOENT && failure.value() != ENOTDIR) {
      files.count_unreadable();
    }
    for (; !failure && entries != std::filesystem::directory_iterator();
         entries.increment(failure)) {
      std::error_code ignored;
      const auto type = entries->symlink_status(ignored).type();
      if (type == std::filesystem::file_type::directory) {
        directories.push_back(entries->path().string());
      } else if (type == std::filesystem::file_type::regular) {
        files.look_at(entries->path().string());
      }
    }
  }

  void rescan() {
    watching_all = true;
    files.begin_look();
    explore(root);
    files.end_look();
  }

  void take_changes() {
    for (const Change& change : watch.take()) {
      switch (change.kind) {
        case ChangeKind::written:
          files.changed(change.path);
          break;
        case ChangeKind::appeared:
          files.look_at(change.path);
          break;
        case ChangeKind::removed:
          files.removed(change.path);
          break;
        case ChangeKind::moved:
          files.moved(change.path);
          break;
        case ChangeKind::directory:
          explore(change.path);
          break;
        case ChangeKind::overflow:
          rescan();
          break;
      }
    }
  }

  std::string root;
  TailWatch watch;
  TailFiles files;
  bool watching_all = true;
  bool finishing = false;
};

LogTail::LogTail(const std::filesystem::path& directory, Filter filter, Sink sink,
                 LogTailLimits limits)
    : state_(std::make_unique<State>(plain_path(directory), std::move(filter), std::move(sink),
                                     limits)) {
  std::error_code failure;
  if (!std::filesystem::is_directory(directory, failure)) {
    throw environment_error("log_tail.no_directory", "cannot watch {} for log files: {}",
                            directory.string(), reason(failure ? failure.value() : ENOTDIR));
  }
  state_->rescan();
}

LogTail::~LogTail() = default;
LogTail::LogTail(LogTail&& other) noexcept = default;
LogTail& LogTail::operator=(LogTail&& other) noexcept = default;

int LogTail::descriptor() const {
  return state_->watch.descriptor();
}

bool LogTail::read(std::size_t bytes_max) {
  state_->take_changes();
  return state_->files.read(bytes_max);
}

void LogTail::rescan() {
  state_->rescan();
}

bool LogTail::is_watching_all() const {
  return state_->watching_all;
}

bool LogTail::finish(std::size_t bytes_max) {
  state_->take_changes();
  if (!state_->finishing) {
    state_->finishing = true;
    state_->rescan();
  }
  if (state_->files.read(bytes_max)) {
    return true;
  }
  state_->files.finish_lines();
  state_->finishing = false;
  return false;
}

const LogTailCounts& LogTail::counts() const {
  return state_->files.counts();
}

std::uint64_t LogTail::read_up_to(const std::filesystem::path& path) const {
  return state_->files.read_up_to(path.string());
}

}  // namespace mstune::os
