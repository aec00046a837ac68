#include "common/os/tail_watch.h"

#include <sys/inotify.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace mstune::os {
namespace {

constexpr std::uint32_t kWanted =
    IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ONLYDIR | IN_DONT_FOLLOW;

ChangeKind kind_of(std::uint32_t mask) {
  if ((mask & IN_MODIFY) != 0) {
    return ChangeKind::written;
  }
  if ((mask & IN_MOVED_FROM) != 0) {
    return ChangeKind::moved;
  }
  return (mask & IN_DELETE) != 0 ? ChangeKind::removed : ChangeKind::appeared;
}

}  // namespace

TailWatch::TailWatch() : inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}

bool TailWatch::add(const std::string& directory) {
  const int watch = ::inotify_add_watch(inotify_.value(), directory.c_str(), kWanted);
  if (watch < 0) {
    return false;
  }
  directories_[watch] = directory;
  return true;
}

void TailWatch::translate(const inotify_event& event, const char* name,
                          std::vector<Change>& changes) {
  if ((event.mask & IN_Q_OVERFLOW) != 0) {
    changes.push_back({ChangeKind::overflow, {}});
    return;
  }
  const auto found = directories_.find(event.wd);
  if (found == directories_.end()) {
    return;
  }
  if ((event.mask & IN_IGNORED) != 0) {
    directories_.erase(found);
    return;
  }
  if (event.len == 0) {
    return;
  }
  std::string path = found->second + "/" + name;
  if ((event.mask & IN_ISDIR) == 0) {
    changes.push_back({kind_of(event.mask), std::move(path)});
  } else if ((event.mask & (IN_CREATE | IN_MOVED_TO)) != 0) {
    changes.push_back({ChangeKind::directory, std::move(path)});
  }
}

std::vector<Change> TailWatch::take() {
  constexpr int kReadsMax = 16;
  std::vector<Change> changes;
  std::array<char, 65536> buffer{};
  for (int count = 0; inotify_.valid() && count < kReadsMax; ++count) {
    std::string_view bytes = read_chunk(inotify_.value(), buffer).bytes;
    if (bytes.empty()) {
      break;
    }
    while (bytes.size() >= sizeof(inotify_event)) {
      inotify_event event{};
      std::memcpy(&event, bytes.data(), sizeof event);
      translate(event, bytes.data() + sizeof event, changes);
      bytes.remove_prefix(sizeof event + event.len);
    }
  }
  return changes;
}

}  // namespace mstune::os
