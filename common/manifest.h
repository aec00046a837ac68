// What a file consists of: its chunks in order, its size, and the identity that follows from them.
//
// Pure. common/os/source_file.h computes one from a file, the store keeps one beside each blob, and
// its list crosses the wire in pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/digest.h"

namespace mstune {

// Limits that bound the memory of whoever believes a manifest: 32 GiB, 48 MiB of chunk list.
inline constexpr std::uint64_t kFileSizeMax = std::uint64_t{32} << 30;
inline constexpr std::uint64_t kChunksMax = std::uint64_t{1} << 20;

struct Chunk {
  Digest digest;
  std::uint64_t offset = 0;  // in the file: the sum of the lengths before it
  std::uint32_t length = 0;  // 1 .. kChunkMax

  friend bool operator==(const Chunk&, const Chunk&) = default;
};

struct Manifest {
  Digest identity;
  std::uint64_t size = 0;
  std::vector<Chunk> chunks;  // empty for a file of zero bytes

  friend bool operator==(const Manifest&, const Manifest&) = default;
};

// Builds a manifest chunk by chunk, with the limits above enforced.
class ManifestBuilder {
 public:
  // Throws a usage error `file.too_large_to_send` beyond kFileSizeMax or kChunksMax, and a protocol
  // error `transfer.bad_chunk_length` for a length outside of 1 .. kChunkMax.
  void add(const Digest& digest, std::uint64_t length);

  [[nodiscard]] std::uint64_t size() const { return manifest_.size; }
  [[nodiscard]] std::size_t chunks() const { return manifest_.chunks.size(); }

  // The whole, with its identity: the digest over every (chunk digest, 4-byte little-endian
  // length), so that no byte of the file is digested twice.
  Manifest finish();

 private:
  Manifest manifest_;
};

// Bytes from the start of chunk `first` to the end of the `count`-th; both must lie in the list.
std::uint64_t length_of(const Manifest& manifest, std::size_t first, std::size_t count);

// How many chunks from `first` on fit into one payload of `length_max` bytes; at least one, and
// only chunks whose bit in `wanted` is set.
std::size_t chunks_in_piece(const Manifest& manifest, std::size_t first,
                            const std::vector<bool>& wanted, std::uint64_t length_max);

// The form in which the store keeps a manifest: a magic line, then 36 bytes a chunk.
std::string encode(const Manifest& manifest);

// Reads it back. Throws an environment error `store.bad_manifest` when it is not whole or not
// sound; its identity is computed anew, so a damaged list shows.
Manifest decode_manifest(std::string_view bytes);

}  // namespace mstune
