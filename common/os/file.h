// Files and directories, for both programs. Whatever fails is thrown as an Error that holds the
// path, the system's reason and what to do; nothing here retries or decides.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "common/error.h"
#include "common/os/descriptor.h"

namespace mstune::os {

inline constexpr std::uint64_t kFileSizeMax = 256ULL << 20U;

// The whole content. A file larger than `size_max` bytes is an error, not a surprise in memory.
std::string read_file(const std::filesystem::path& path, std::uint64_t size_max = kFileSizeMax);

// A reader sees the old content or the new one, after a crash as well: a temporary file beside it,
// fsync, rename, fsync of the directory.
void write_file_atomically(const std::filesystem::path& path, std::string_view content,
                           unsigned mode = 0644);

// What to throw when a write to `path` failed with this errno.
Error cannot_write(const std::filesystem::path& path, int error_number);

// Makes a rename or a new name durable.
void sync_directory(const std::filesystem::path& path);

// A file that only grows, kept open: a journal.
class AppendFile {
 public:
  // Makes the file when it does not exist.
  explicit AppendFile(std::filesystem::path path, unsigned mode = 0644);

  // The bytes are with the kernel when this returns: they survive this process, not a power cut.
  void append(std::string_view bytes);

  // They survive a power cut, too.
  void sync();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  UniqueFd descriptor_;
};

// Makes the directory and its parents, as 0755 less the umask; one that exists is fine.
void make_directory(const std::filesystem::path& path);

// Makes the directory as 0700 (its parents as above). One that exists must be a directory of this
// user and is narrowed to 0700.
void make_private_directory(const std::filesystem::path& path);

// Makes a new directory whose name begins with `prefix`, 0700, and returns its path.
std::filesystem::path make_unique_directory(const std::filesystem::path& parent,
                                            std::string_view prefix);

// Removes what is there, links themselves and never what they point to. Nothing there is fine.
void remove_tree(const std::filesystem::path& path);

// Bytes that this user can still write on the file system that holds `path`.
std::uint64_t free_space(const std::filesystem::path& path);

// Absolute and without "." and "..", as text only: links are kept and nothing has to exist.
// Relative to `base`, which must be absolute; empty: this process's directory.
std::filesystem::path absolute_path(const std::filesystem::path& path,
                                    const std::filesystem::path& base = {});

// "~" and "~/…" as a shell reads them, with the given home; anything else is left alone.
std::string expand_home(std::string_view path, std::string_view home);

}  // namespace mstune::os
