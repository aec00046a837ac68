// What the store does to single files: open, read, check, copy. It knows nothing of the store's
// rules. Nothing follows a symbolic link. Errors name the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/manifest.h"
#include "common/os/descriptor.h"

namespace mstune::agent::blob_io {

// `store.disk_full` for a full disk or quota, `store.cannot_write` for the rest.
Error write_error(std::string_view name, int error);

// Opens a name in a directory; an invalid descriptor when that fails, with errno set.
os::UniqueFd open_in(const os::UniqueFd& directory, const std::string& name, int flags,
                     unsigned mode = 0);

// The whole content, empty when it cannot be read or has more than `size_max` bytes.
std::string read_small(const os::UniqueFd& directory, const std::string& name,
                       std::size_t size_max);

// Makes or replaces a file, 0600. Throws.
void write_small(const os::UniqueFd& directory, const std::string& name, std::string_view content);

// Throws.
void write_at(int descriptor, std::uint64_t offset, std::string_view bytes, std::string_view name);

// Which chunks of the manifest the file holds, by their digests; holes are not read.
std::vector<bool> sound_chunks(int descriptor, const Manifest& manifest);

// A place in an open file.
struct Place {
  int file = -1;
  std::uint64_t offset = 0;
};

// Copies `length` bytes between two files, by sharing disk blocks where the file system can. False
// when the source does not have them all. Throws when writing fails.
bool copy_range(Place from, Place to, std::uint64_t length, std::string_view name);

}  // namespace mstune::agent::blob_io
