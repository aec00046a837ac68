#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "common/error.h"
#include "common/os/failure.h"
#include "common/os/file.h"

namespace mstune::os {
namespace {

Error cannot_make(const std::filesystem::path& path, int error_number) {
  return environment_error("directory.cannot_make", "cannot make the directory {}: {}",
                           path.string(), reason(error_number));
}

}  // namespace

void make_directory(const std::filesystem::path& path) {
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  if (failure || !std::filesystem::is_directory(path, failure)) {
    throw cannot_make(path, failure ? failure.value() : ENOTDIR);
  }
}

void make_private_directory(const std::filesystem::path& path) {
  if (path.has_parent_path()) {
    make_directory(path.parent_path());
  }
  if (::mkdir(path.c_str(), 0700) == 0) {
    return;
  }
  if (errno != EEXIST) {
    throw cannot_make(path, errno);
  }
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    throw cannot_make(path, errno);
  }
  if (!S_ISDIR(info.st_mode) || info.st_uid != ::geteuid()) {
    throw environment_error("directory.not_ours",
                            "{} exists and is not a directory of this user: remove it or choose "
                            "another place",
                            path.string());
  }
  if ((info.st_mode & 0777U) != 0700U && ::chmod(path.c_str(), 0700) != 0) {
    throw cannot_make(path, errno);
  }
}

std::filesystem::path make_unique_directory(const std::filesystem::path& parent,
                                            std::string_view prefix) {
  std::string name = (parent / (std::string(prefix) + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw cannot_make(parent / (std::string(prefix) + "…"), errno);
  }
  return name;
}

void remove_tree(const std::filesystem::path& path) {
  std::error_code failure;
  std::filesystem::remove_all(path, failure);
  if (failure) {
    throw environment_error("directory.cannot_remove", "cannot remove {}: {}", path.string(),
                            reason(failure.value()));
  }
}

std::uint64_t free_space(const std::filesystem::path& path) {
  struct statvfs info {};
  if (::statvfs(path.c_str(), &info) != 0) {
    throw environment_error("directory.no_free_space",
                            "cannot tell how much space is free at {}: {}", path.string(),
                            reason(errno));
  }
  return std::uint64_t{info.f_bavail} * std::uint64_t{info.f_frsize};
}

std::filesystem::path absolute_path(const std::filesystem::path& path,
                                    const std::filesystem::path& base) {
  return ((base.empty() ? std::filesystem::current_path() : base) / path).lexically_normal();
}

std::string expand_home(std::string_view path, std::string_view home) {
  if (path == "~" || path.starts_with("~/")) {
    return std::string(home) + std::string(path.substr(1));
  }
  return std::string(path);
}

}  // namespace mstune::os
