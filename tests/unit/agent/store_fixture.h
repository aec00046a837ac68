// Files of known content for tests of the store, and a store in a directory of its own.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "agent/store.h"
#include "common/chunker.h"
#include "tests/unit/common_os/scratch.h"
#include "tests/unit/error_id.h"

namespace mstune::agent {

struct Content {
  std::string bytes;
  std::shared_ptr<const Manifest> manifest;

  explicit Content(std::string content) : bytes(std::move(content)) {
    Chunker chunker;
    ManifestBuilder builder;
    for (std::string_view rest = bytes; !rest.empty();) {
      const std::size_t length = chunker.find_cut(rest).value_or(rest.size());
      builder.add(digest_of(rest.substr(0, length)), length);
      rest.remove_prefix(length);
    }
    manifest = std::make_shared<const Manifest>(builder.finish());
  }

  [[nodiscard]] const Digest& identity() const { return manifest->identity; }
  [[nodiscard]] std::string_view chunk(std::size_t i) const {
    return std::string_view(bytes).substr(manifest->chunks.at(i).offset,
                                          manifest->chunks.at(i).length);
  }
};

// Gives the store what it lacks of the first `chunks_max` chunks; returns the bytes given.
inline std::uint64_t send(Store& store, const Content& content, const std::vector<bool>& lacks,
                          std::size_t chunks_max = SIZE_MAX) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < std::min(lacks.size(), chunks_max); ++i) {
    if (lacks[i]) {
      store.write(content.identity(), i, 1, content.chunk(i));
      bytes += content.chunk(i).size();
    }
  }
  return bytes;
}

inline std::uint64_t add(Store& store, const Content& content) {
  const std::uint64_t bytes = send(store, content, store.open(content.manifest));
  store.complete(content.identity());
  return bytes;
}

inline std::string read(const std::filesystem::path& path) {
  return os::read_file(path);
}

inline StoreOptions store_options(std::uint64_t limit_bytes = std::uint64_t{1} << 30U) {
  return {limit_bytes, 0};
}

}  // namespace mstune::agent
