#include "common/os/key_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include <fmt/format.h>

#include "common/error.h"
#include "common/os/descriptor.h"
#include "common/os/failure.h"
#include "common/os/file.h"
#include "common/os/guarded_file.h"

namespace mstune::os {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kListBytesMax = std::size_t{4} << 20U;

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

// The list's files in their order; the path itself when it is no directory.
std::vector<fs::path> list_files(const fs::path& path) {
  const auto info = look_at(path, true);
  if (!info || !S_ISDIR(info->st_mode)) {
    return {path};
  }
  std::error_code failure;
  std::vector<fs::path> files;
  for (fs::directory_iterator at(path, failure), end; !failure && at != end;
       at.increment(failure)) {
    if (at->path().extension() == ".pub") {
      files.push_back(at->path());
    }
  }
  if (failure) {
    throw Unreadable(path, failure.value());
  }
  std::sort(files.begin(), files.end());
  return files;
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
  return parse_secret_file(read_guarded(path, Guard::nobody_else_reads, kKeyFileMax),
                           path.string());
}

AuthorizedList read_authorized_at(const fs::path& path) {
  check_guarded_directory(path);
  AuthorizedList list;
  for (const fs::path& file : list_files(path)) {
    read_authorized(read_guarded(file, Guard::nobody_else_writes, kListBytesMax), file.string(),
                    list);
  }
  return list;
}

std::string authorized_signature(const fs::path& path) {
  std::vector<fs::path> files = list_files(path);
  files.push_back(path);
  std::string signature;
  for (const fs::path& file : files) {
    if (const auto info = look_at(file, false)) {
      signature +=
          fmt::format("{} {} {} {}.{} {}.{} {:o} {}\n", file.string(), info->st_ino, info->st_size,
                      info->st_mtim.tv_sec, info->st_mtim.tv_nsec, info->st_ctim.tv_sec,
                      info->st_ctim.tv_nsec, info->st_mode, info->st_uid);
    }
  }
  return signature;
}

}  // namespace mstune::os
