#include "common/manifest.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/chunker.h"
#include "common/error.h"

namespace mstune {
namespace {

constexpr std::string_view kMagic = "mstune chunks 1\n";
constexpr std::size_t kLengthSize = 4;
constexpr std::size_t kEntrySize = kDigestSize + kLengthSize;

// A chunk as it is digested for the identity and kept on disk.
void append_entry(std::string& bytes, const Chunk& chunk) {
  bytes.append(chunk.digest.bytes.begin(), chunk.digest.bytes.end());
  for (unsigned shift = 0; shift < 8 * kLengthSize; shift += 8) {
    bytes += static_cast<char>(chunk.length >> shift & 0xffU);
  }
}

std::uint32_t read_length(std::string_view bytes) {
  std::uint32_t length = 0;
  for (std::size_t i = kLengthSize; i-- > 0;) {
    length = length << 8U | static_cast<unsigned char>(bytes[i]);
  }
  return length;
}

}  // namespace

void ManifestBuilder::add(const Digest& digest, std::uint64_t length) {
  if (length == 0 || length > kChunkMax) {
    throw protocol_error("transfer.bad_chunk_length",
                         "a chunk of {} bytes: its length must be 1 to {}", length, kChunkMax);
  }
  if (manifest_.chunks.size() == kChunksMax || length > kFileSizeMax - manifest_.size) {
    throw usage_error("file.too_large_to_send",
                      "a file of more than {} or {} chunks cannot be sent", size_text(kFileSizeMax),
                      kChunksMax);
  }
  manifest_.chunks.push_back({digest, manifest_.size, static_cast<std::uint32_t>(length)});
  manifest_.size += length;
}

Manifest ManifestBuilder::finish() {
  Hasher hasher;
  std::string bytes;
  for (const Chunk& chunk : manifest_.chunks) {
    bytes.clear();
    append_entry(bytes, chunk);
    hasher.update(bytes);
  }
  manifest_.identity = hasher.finish();
  return std::exchange(manifest_, {});
}

std::uint64_t length_of(const Manifest& manifest, std::size_t first, std::size_t count) {
  if (count == 0) {
    return 0;
  }
  const Chunk& last = manifest.chunks.at(first + count - 1);
  return last.offset + last.length - manifest.chunks.at(first).offset;
}

std::size_t chunks_in_piece(const Manifest& manifest, std::size_t first,
                            const std::vector<bool>& wanted, std::uint64_t length_max) {
  std::size_t count = 1;
  while (first + count < manifest.chunks.size() && wanted.at(first + count) &&
         length_of(manifest, first, count + 1) <= length_max) {
    ++count;
  }
  return count;
}

std::string encode(const Manifest& manifest) {
  std::string bytes(kMagic);
  bytes.reserve(kMagic.size() + kDigestSize + manifest.chunks.size() * kEntrySize);
  bytes += raw(manifest.identity);
  for (const Chunk& chunk : manifest.chunks) {
    append_entry(bytes, chunk);
  }
  return bytes;
}

Manifest decode_manifest(std::string_view bytes) {
  const auto bad = [] {
    return environment_error("store.bad_manifest", "a stored list of chunks is damaged");
  };
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    throw bad();
  }
  bytes.remove_prefix(kMagic.size());
  const auto identity = parse_raw_digest(bytes.substr(0, kDigestSize));
  if (!identity || (bytes.size() - kDigestSize) % kEntrySize != 0) {
    throw bad();
  }
  bytes.remove_prefix(kDigestSize);
  ManifestBuilder builder;
  for (; !bytes.empty(); bytes.remove_prefix(kEntrySize)) {
    const std::uint32_t length = read_length(bytes.substr(kDigestSize, kLengthSize));
    if (length == 0 || length > kChunkMax) {
      throw bad();
    }
    builder.add(parse_raw_digest(bytes.substr(0, kDigestSize)).value(), length);
  }
  Manifest manifest = builder.finish();
  if (manifest.identity != *identity) {
    throw bad();
  }
  return manifest;
}

}  // namespace mstune
