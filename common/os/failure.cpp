#include "common/os/failure.h"

#include <cerrno>
#include <string_view>
#include <system_error>

namespace mstune::os {
namespace {

std::string_view advice(int error_number) {
  switch (error_number) {
    case EACCES:
    case EPERM:
      return "check its owner and permissions, and those of the directories above it";
    case EROFS:
      return "choose a place on a file system that can be written";
    case ENOSPC:
      return "free some space there";
    case EDQUOT:
      return "free some space there or have the quota raised";
    case EMFILE:
      return "raise the limit of open files, ulimit -n";
    case ENFILE:
      return "this machine has too many files open: end something or raise fs.file-max";
    case EAGAIN:
      return "this user has too many processes: end some or raise ulimit -u";
    case ENOMEM:
      return "this machine is out of memory: end something";
    case ENOENT:
      return "check the path";
    case ENOTDIR:
      return "part of the path is not a directory";
    case EISDIR:
      return "it is a directory: name a file";
    case ENAMETOOLONG:
      return "choose a shorter path";
    case ESTALE:
      return "the network file system lost it: mount it anew";
    case EIO:
      return "the disk fails: see the kernel's log";
    default:
      return {};
  }
}

}  // namespace

std::string reason(int error_number) {
  std::string text = std::system_category().message(error_number);
  if (const std::string_view hint = advice(error_number); !hint.empty()) {
    text.append(" (").append(hint).append(")");
  }
  return text;
}

}  // namespace mstune::os
