#include "common/os/key_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "common/error.h"
#include "common/os/descriptor.h"
#include "common/os/failure.h"
#include "common/os/file.h"

namespace mstune::os {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kListBytesMax = std::size_t{4} << 20U;
constexpr unsigned kOthersWrite = 022;
constexpr unsigned kOthersAtAll = 077;

void write_new_file(const fs::path& path, const std::string& text, unsigned mode) {
  const UniqueFd file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file.valid() && errno == EEXIST) {
    throw environment_error("key.exists",
                            "{} is there already, and a key that is written over is lost for "
                            "good: choose another name, or move it away",
                            path.string());
  }
  if (!file.valid() || !write_fully(file.value(), text) || ::fsync(file.value()) != 0) {
    throw environment_error("key.cannot_write", "cannot write {}: {}", path.string(),
                            reason(errno));
  }
}

bool is_trusted_owner(uid_t owner) {
  return owner == ::geteuid() || owner == 0;
}

// The file's text, once it is certain that it is a regular file and `forbidden` permissions are
// not given. Checked on the open file: nobody can exchange it between the two.
std::string read_guarded(const fs::path& path, unsigned forbidden, std::size_t size_max) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (!file.valid() || ::fstat(file.value(), &info) != 0) {
    throw usage_error("key.cannot_read", "cannot read {}: {}", path.string(),
                      errno == ELOOP ? "it is a link" : reason(errno));
  }
  if (!S_ISREG(info.st_mode)) {
    throw usage_error("key.not_a_file", "{} is not a regular file", path.string());
  }
  if (!is_trusted_owner(info.st_uid) || (info.st_mode & forbidden) != 0) {
    throw usage_error("key.wide_permissions",
                      "{} has permissions {:o} and is the file of user {}: others could {} it, so "
                      "it is not used; chmod {} it, as its owner",
                      path.string(), info.st_mode & 07777U, info.st_uid,
                      forbidden == kOthersAtAll ? "read" : "write",
                      forbidden == kOthersAtAll ? "600" : "go-w");
  }
  std::string text(size_max + 1, '\0');
  std::size_t size = 0;
  ssize_t got = 0;
  while (size < text.size() &&
         (got = ::read(file.value(), text.data() + size, text.size() - size)) > 0) {
    size += static_cast<std::size_t>(got);
  }
  if (got < 0 || size > size_max) {
    throw usage_error("key.cannot_read", "cannot read {}: {}", path.string(),
                      got < 0 ? reason(errno) : "it is too large to be what it should be");
  }
  text.resize(size);
  return text;
}

// The list's files in their order; the path itself when it is no directory.
std::vector<fs::path> list_files(const fs::path& path) {
  std::error_code failure;
  if (!fs::is_directory(path, failure)) {
    return {path};
  }
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, failure)) {
    if (entry.path().extension() == ".pub") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

void check_directory(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
      (!is_trusted_owner(info.st_uid) || (info.st_mode & kOthersWrite) != 0)) {
    throw usage_error("key.wide_permissions",
                      "{} can be written by others, so it is not used: chmod go-w it, as its owner",
                      path.string());
  }
}

}  // namespace

fs::path write_key_pair(const fs::path& path, const KeyPair& pair) {
  fs::path public_path = path;
  public_path.replace_extension(".pub");
  if (public_path == path) {
    throw usage_error("key.bad_file_name", "{}: .pub is for the public part; name it .key",
                      path.string());
  }
  std::error_code failure;
  if (path.has_parent_path() && !fs::exists(path.parent_path(), failure)) {
    make_private_directory(path.parent_path());
  }
  if (fs::exists(fs::symlink_status(public_path, failure))) {
    throw environment_error("key.exists", "{} is there already: choose another name",
                            public_path.string());
  }
  write_new_file(path, secret_file_text(pair), 0600);
  write_new_file(public_path, public_file_text(pair), 0644);
  return public_path;
}

KeyPair read_secret_key(const fs::path& path) {
  constexpr std::size_t kKeyFileMax = 64 * 1024;
  std::error_code failure;
  if (!fs::exists(path, failure)) {
    throw usage_error("key.none",
                      "there is no key at {}: make one with \"mstune keygen NAME --file {}\"",
                      path.string(), path.string());
  }
  return parse_secret_file(read_guarded(path, kOthersAtAll, kKeyFileMax), path.string());
}

AuthorizedList read_authorized_at(const fs::path& path) {
  check_directory(path);
  AuthorizedList list;
  for (const fs::path& file : list_files(path)) {
    read_authorized(read_guarded(file, kOthersWrite, kListBytesMax), file.string(), list);
  }
  return list;
}

std::string authorized_signature(const fs::path& path) {
  std::vector<fs::path> files = list_files(path);
  files.push_back(path);
  std::string signature;
  for (const fs::path& file : files) {
    struct stat info {};
    if (::lstat(file.c_str(), &info) == 0) {
      signature +=
          fmt::format("{} {} {} {}.{} {}.{} {:o} {}\n", file.string(), info.st_ino, info.st_size,
                      info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_ctim.tv_sec,
                      info.st_ctim.tv_nsec, info.st_mode, info.st_uid);
    }
  }
  return signature;
}

}  // namespace mstune::os
