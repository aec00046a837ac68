#include "agent/store_scan.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/blob_io.h"
#include "common/error.h"
#include "common/os/identity.h"

namespace mstune::agent {
namespace {

constexpr std::string_view kManifestSuffix = ".chunks";
constexpr const char* kBootName = "boot";

// 2000-01-01 in whole seconds, which every file system can keep.
constexpr std::time_t kSealTime = 946684800;

Error cannot_open(const std::filesystem::path& path, std::string_view why) {
  return environment_error("store.cannot_open", "the agent cannot use {} for its store: {}",
                           path.string(), why);
}

os::UniqueFd open_private(int parent, const std::filesystem::path& path, const std::string& name) {
  if (mkdirat(parent, name.c_str(), 0700) != 0 && errno != EEXIST) {
    throw cannot_open(path, std::strerror(errno));
  }
  os::UniqueFd directory(
      openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!directory.valid() || fstat(directory.value(), &status) != 0) {
    throw cannot_open(path, std::strerror(errno));
  }
  if (status.st_uid != geteuid()) {
    throw cannot_open(path, "it belongs to another user");
  }
  if ((status.st_mode & 0077U) != 0 && fchmod(directory.value(), 0700) != 0) {
    throw cannot_open(path, std::strerror(errno));
  }
  return directory;
}

std::vector<std::string> names_in(const os::UniqueFd& directory) {
  const int copy = openat(directory.value(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(copy < 0 ? nullptr : fdopendir(copy), &closedir);
  std::vector<std::string> names;
  if (stream != nullptr) {
    while (const dirent* const entry = readdir(stream.get())) {
      const std::string name(entry->d_name);
      if (name != "." && name != "..") {
        names.push_back(name);
      }
    }
  }
  return names;
}

std::optional<struct stat> regular_file(const os::UniqueFd& directory, const std::string& name) {
  struct stat status {};
  if (fstatat(directory.value(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  return status;
}

void remove_name(const os::UniqueFd& directory, const std::string& name) {
  unlinkat(directory.value(), name.c_str(), 0);
}

// Names that the store did not write are not its business: they stay, and do not count.
void scan_directory(const os::UniqueFd& directory, Kind kind, StoreIndex& index,
                    std::int64_t& last_use) {
  for (const std::string& name : names_in(directory)) {
    const bool is_manifest = name.ends_with(kManifestSuffix);
    const auto identity = parse_hex_digest(
        std::string_view(name).substr(0, name.size() - (is_manifest ? kManifestSuffix.size() : 0)));
    if (!identity) {
      continue;
    }
    const auto file = regular_file(directory, hex(*identity));
    const auto manifest = regular_file(directory, manifest_name(*identity));
    if (!file || !manifest) {
      remove_name(directory, name);
      continue;
    }
    const std::int64_t used =
        std::int64_t{manifest->st_mtim.tv_sec} * 1'000'000'000 + manifest->st_mtim.tv_nsec;
    last_use = std::max(last_use, used);
    index.put(*identity, {kind, static_cast<std::uint64_t>(file->st_size), used, false});
  }
}

}  // namespace

std::string manifest_name(const Digest& identity) {
  return hex(identity) + std::string(kManifestSuffix);
}

StoreDirectories open_store(std::filesystem::path path) {
  StoreDirectories directories;
  directories.root = open_private(AT_FDCWD, path, path.string());
  directories.lock = blob_io::open_in(directories.root, "lock", O_RDWR | O_CREAT, 0600);
  if (!directories.lock.valid()) {
    throw cannot_open(path, std::strerror(errno));
  }
  if (flock(directories.lock.value(), LOCK_EX | LOCK_NB) != 0) {
    throw environment_error("store.in_use",
                            "another agent uses the store {}: stop it, or give this one a store of "
                            "its own",
                            path.string());
  }
  directories.blobs = open_private(directories.root.value(), path / "blobs", "blobs");
  directories.partial = open_private(directories.root.value(), path / "partial", "partial");
  directories.path = std::move(path);
  return directories;
}

std::int64_t scan_store(const StoreDirectories& directories, StoreIndex& index) {
  std::int64_t last_use = 0;
  scan_directory(directories.partial, Kind::partial, index, last_use);
  scan_directory(directories.blobs, Kind::blob, index, last_use);
  for (const auto& [identity, entry] : index.entries()) {
    if (entry.kind == Kind::blob) {
      remove_pair(directories.partial, identity);
    }
  }
  const std::string boot = os::boot_id();
  if (boot.empty() || blob_io::read_small(directories.root, kBootName, 1024) != boot) {
    for (const auto& [identity, entry] : index.entries()) {
      if (entry.kind == Kind::blob) {
        set_time(directories.blobs, hex(identity), last_use);
      }
    }
    blob_io::write_small(directories.root, kBootName, boot);
  }
  return last_use;
}

void seal(int descriptor) {
  const std::array<timespec, 2> times{timespec{0, UTIME_OMIT}, timespec{kSealTime, 0}};
  if (fchmod(descriptor, 0444) != 0 || futimens(descriptor, times.data()) != 0) {
    throw blob_io::write_error("a blob", errno);
  }
}

bool is_sealed(int descriptor, std::uint64_t size) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
         static_cast<std::uint64_t>(status.st_size) == size && status.st_mtim.tv_sec == kSealTime &&
         status.st_mtim.tv_nsec == 0;
}

void set_time(const os::UniqueFd& directory, const std::string& name, std::int64_t time_ns) {
  const std::array<timespec, 2> times{timespec{0, UTIME_OMIT},
                                      timespec{time_ns / 1'000'000'000, time_ns % 1'000'000'000}};
  utimensat(directory.value(), name.c_str(), times.data(), AT_SYMLINK_NOFOLLOW);
}

void remove_pair(const os::UniqueFd& directory, const Digest& identity) {
  remove_name(directory, hex(identity));
  remove_name(directory, manifest_name(identity));
}

void move_pair(const os::UniqueFd& from, const os::UniqueFd& to, const Digest& identity) {
  for (const std::string& name : {manifest_name(identity), hex(identity)}) {
    if (renameat(from.value(), name.c_str(), to.value(), name.c_str()) != 0) {
      throw blob_io::write_error(name, errno);
    }
  }
}

}  // namespace mstune::agent
