#include "common/os/device_locks.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <sstream>

#include <fmt/format.h>

#include "common/error.h"
#include "common/os/file.h"
#include "common/os/process_table.h"

namespace mstune::os {
namespace {

namespace fs = std::filesystem;

// Whoever comes first makes it, for all users; reading is enough for locks.
UniqueFd open_for_all(const fs::path& path) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  UniqueFd file(::open(path.c_str(), kFlags));
  if (!file.valid()) {
    file = UniqueFd(::open(path.c_str(), kFlags | O_CREAT | O_EXCL, 0444));
    if (file.valid()) {
      ::fchmod(file.value(), 0444);  // whatever the umask is
    } else {
      file = UniqueFd(::open(path.c_str(), kFlags));  // another was faster
    }
  }
  return file;
}

struct flock whole_file(int type) {
  struct flock range {};
  range.l_type = static_cast<short>(type);
  range.l_whence = SEEK_SET;
  return range;
}

// "8: FLOCK  ADVISORY  WRITE 4711 fe:00:1234 0 EOF" → 4711; 0 where it is not told.
pid_t holder_in_proc(int file) {
  struct stat info {};
  if (::fstat(file, &info) != 0) {
    return 0;
  }
  const std::string wanted =
      fmt::format("{:02x}:{:02x}:{}", major(info.st_dev), minor(info.st_dev), info.st_ino);
  std::string text;
  try {
    text = read_file("/proc/locks");
  } catch (const Error&) {
    return 0;
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number;
    std::string kind;
    std::string rule;
    std::string access;
    std::string place;
    pid_t id = 0;
    if (words >> number >> kind >> rule >> access >> id >> place && kind == "FLOCK" &&
        place == wanted && id > 0) {
      return id;
    }
  }
  return 0;
}

std::string holder_of(int file) {
  ProcessInfo info;
  const pid_t id = holder_in_proc(file);
  if (id > 0 && look_up(id, info)) {
    return fmt::format("a trial of process {} ({})", id, info.name);
  }
  return "another agent's trial";
}

}  // namespace

fs::path device_lock_path(const fs::path& directory, int device) {
  return directory / fmt::format("mstune-device-{}", device);
}

DeviceHold hold_devices(const fs::path& directory, const std::vector<int>& devices) {
  DeviceHold hold;
  for (const int device : devices) {
    UniqueFd file = open_for_all(device_lock_path(directory, device));
    if (!file.valid()) {
      continue;
    }
    if (::flock(file.value(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      return {{}, holder_of(file.value())};
    }
    hold.locks.push_back(std::move(file));
  }
  return hold;
}

DeviceOffer offer_devices(const fs::path& directory, const std::vector<int>& devices) {
  DeviceOffer offer;
  for (const int device : devices) {
    UniqueFd file = open_for_all(device_lock_path(directory, device));
    if (!file.valid()) {
      continue;
    }
    struct flock found = whole_file(F_WRLCK);
    if (::fcntl(file.value(), F_OFD_GETLK, &found) == 0 && found.l_type != F_UNLCK) {
      offer.shared.push_back(device);
    }
    struct flock wanted = whole_file(F_RDLCK);
    ::fcntl(file.value(), F_OFD_SETLK, &wanted);
    offer.marks.push_back(std::move(file));
  }
  return offer;
}

}  // namespace mstune::os
