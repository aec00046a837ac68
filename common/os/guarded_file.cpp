#include "common/os/guarded_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "common/error.h"
#include "common/os/descriptor.h"
#include "common/os/failure.h"
#include "common/os/limits.h"

namespace mstune::os {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kOthersWrite = 022;
constexpr unsigned kOthersAtAll = 077;

bool is_trusted_owner(uid_t owner) {
  return owner == ::geteuid() || owner == 0;
}

bool says_nothing_of_the_file(int error_number) {
  return is_shortage(error_number) || error_number == EIO || error_number == EINTR;
}

void check_permissions(const fs::path& path, const struct stat& info, Guard guard) {
  const bool secret = guard == Guard::nobody_else_reads;
  if (is_trusted_owner(info.st_uid) &&
      (info.st_mode & (secret ? kOthersAtAll : kOthersWrite)) == 0) {
    return;
  }
  throw usage_error("file.wide_permissions",
                    "{} has permissions {} and is the file of user {}: others could {} it, so it "
                    "is not used; chmod {} it, as its owner",
                    path.string(), fmt::format("{:o}", info.st_mode & 07777U), info.st_uid,
                    secret ? "read" : "write", secret ? "600" : "go-w");
}

}  // namespace

Unreadable::Unreadable(const fs::path& path, int error_number)
    : Error(environment_error("file.unreadable_now", "cannot read {}: {}", path.string(),
                              reason(error_number))) {}

std::string read_guarded(const fs::path& path, Guard guard, std::size_t size_max) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (!file.valid() || ::fstat(file.value(), &info) != 0) {
    if (says_nothing_of_the_file(errno)) {
      throw Unreadable(path, errno);
    }
    throw usage_error("file.cannot_read", "cannot read {}: {}", path.string(),
                      errno == ELOOP ? message("file.link", "it is a link") : reason(errno));
  }
  if (!S_ISREG(info.st_mode)) {
    throw usage_error("file.not_regular", "{} is not a regular file", path.string());
  }
  check_permissions(path, info, guard);
  std::string text(size_max + 1, '\0');
  std::size_t size = 0;
  ssize_t got = 0;
  while (size < text.size() &&
         (got = ::read(file.value(), text.data() + size, text.size() - size)) > 0) {
    size += static_cast<std::size_t>(got);
  }
  if (got < 0) {
    throw Unreadable(path, errno);
  }
  if (size > size_max) {
    throw usage_error("file.cannot_read", "cannot read {}: {}", path.string(),
                      message("file.not_believable", "it is too large to be what it should be"));
  }
  text.resize(size);
  return text;
}

std::optional<struct stat> look_at(const fs::path& path, bool follow) {
  struct stat info {};
  if ((follow ? ::stat(path.c_str(), &info) : ::lstat(path.c_str(), &info)) == 0) {
    return info;
  }
  if (says_nothing_of_the_file(errno)) {
    throw Unreadable(path, errno);
  }
  return std::nullopt;
}

void check_guarded_directory(const fs::path& path) {
  const auto info = look_at(path, true);
  if (info && S_ISDIR(info->st_mode)) {
    check_permissions(path, *info, Guard::nobody_else_writes);
  }
}

}  // namespace mstune::os
