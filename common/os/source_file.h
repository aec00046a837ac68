// A file that is to be sent: its manifest, read once in bounded memory, and its bytes again later.
//
// All of it may run on a worker thread. A file that changes meanwhile is found out here by its
// size, time and inode, and at the latest by the receiver, who checks every chunk's digest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>

#include "common/manifest.h"
#include "common/os/descriptor.h"

namespace mstune::os {

// What shows that a file is still the one that was read.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

struct SourceFile {
  std::filesystem::path path;
  UniqueFd descriptor;
  FileStamp stamp;
};

// Opens a regular file for reading. Throws an environment error `file.cannot_read` for anything
// else or when that fails.
SourceFile open_source(const std::filesystem::path& path);

// A file whose manifest is known and that may have much in common with the one to be read: the
// previous OM of the same model. Chunks that are equal byte by byte need no cutting and no digest.
struct Sibling {
  const SourceFile* file = nullptr;
  const Manifest* manifest = nullptr;
};

// Reads the whole file once. Throws an environment error `file.changed` when it changed meanwhile,
// `file.cannot_read` when reading fails, `file.reading_cancelled` when stopped, and a usage error
// `file.too_large_to_send`. A sibling that cannot be read or has changed is merely of no use.
Manifest compute_manifest(const SourceFile& file, const std::stop_token& stop,
                          const Sibling& sibling = {});

// The bytes [offset, offset + length). Throws as above, also when the file is not as it was when it
// was opened: `file.changed`.
std::string read_piece(const SourceFile& file, std::uint64_t offset, std::size_t length);

}  // namespace mstune::os
