#include "common/os/failure.h"

#include <cerrno>
#include <string>
#include <system_error>

namespace mstune::os {

Message reason(int error_number) {
  switch (error_number) {
    case EACCES:
      return message("reason.no_access",
                     "Permission denied (check its owner and permissions, and those of the "
                     "directories above it)");
    case EPERM:
      return message("reason.not_permitted",
                     "Operation not permitted (check its owner and permissions, and those of the "
                     "directories above it)");
    case EROFS:
      return message("reason.read_only",
                     "Read-only file system (choose a place on a file system that can be written)");
    case ENOSPC:
      return message("reason.disk_full", "No space left on device (free some space there)");
    case EDQUOT:
      return message("reason.quota",
                     "Disk quota exceeded (free some space there or have the quota raised)");
    case EMFILE:
      return message("reason.too_many_files",
                     "Too many open files (raise the limit of open files, ulimit -n)");
    case ENFILE:
      return message("reason.too_many_files_here",
                     "Too many open files in system (end something or raise fs.file-max)");
    case EAGAIN:
      return message("reason.too_many_processes",
                     "Resource temporarily unavailable (this user has too many processes: end some "
                     "or raise ulimit -u)");
    case ENOMEM:
      return message("reason.no_memory",
                     "Cannot allocate memory (this machine is out of memory: end something)");
    case ENOENT:
      return message("reason.not_there", "No such file or directory (check the path)");
    case ENOTDIR:
      return message("reason.no_directory",
                     "Not a directory (part of the path is not a directory)");
    case EISDIR:
      return message("reason.is_directory", "Is a directory (name a file)");
    case ENAMETOOLONG:
      return message("reason.name_too_long", "File name too long (choose a shorter path)");
    case ESTALE:
      return message("reason.stale",
                     "Stale file handle (the network file system lost it: mount it anew)");
    case EIO:
      return message("reason.io", "Input/output error (the disk fails: see the kernel's log)");
    default:
      return {"reason.other", std::system_category().message(error_number), {}};
  }
}

}  // namespace mstune::os
