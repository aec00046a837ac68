// Files that others must not have tampered with: keys, lists of those who may, the owner's rules.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "common/error.h"

namespace mstune::os {

// There may be nothing wrong with the file: this process or its disk could not read it now. Want of
// descriptors or memory, or an error of the disk.
class Unreadable : public Error {
 public:
  Unreadable(const std::filesystem::path& path, int error_number);
};

enum class Guard {
  nobody_else_reads,   // 0600 at the most
  nobody_else_writes,  // 0644
};

// The text of a regular file of this user's or root's, at most `size_max` bytes. Checked on the
// open file, so that nobody can exchange it in between. Throws a usage error: no such file, a link,
// wider permissions, too large.
std::string read_guarded(const std::filesystem::path& path, Guard guard, std::size_t size_max);

// What stat says, or lstat without `follow`; nothing where there is nothing to be seen. Throws
// Unreadable.
std::optional<struct stat> look_at(const std::filesystem::path& path, bool follow);

// Throws a usage error when it is a directory into which others can put files.
void check_guarded_directory(const std::filesystem::path& path);

}  // namespace mstune::os
