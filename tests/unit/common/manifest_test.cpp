#include "common/manifest.h"

#include <string>

#include <doctest/doctest.h>

#include "common/chunker.h"
#include "tests/unit/error_id.h"

namespace mstune {
namespace {

Manifest three_chunks() {
  ManifestBuilder builder;
  builder.add(digest_of("a"), 100);
  builder.add(digest_of("b"), kChunkMax);
  builder.add(digest_of("c"), 1);
  return builder.finish();
}

TEST_CASE("manifest: offsets and size follow from the lengths") {
  const Manifest manifest = three_chunks();
  CHECK(manifest.size == 101 + kChunkMax);
  CHECK(manifest.chunks[0].offset == 0);
  CHECK(manifest.chunks[2].offset == 100 + kChunkMax);
  CHECK(length_of(manifest, 1, 2) == kChunkMax + 1);
  CHECK(length_of(manifest, 1, 0) == 0);
}

TEST_CASE("manifest: the identity tells digests, lengths and their order apart") {
  const auto identity = [](const char* first, std::uint64_t first_length, const char* second,
                           std::uint64_t second_length) {
    ManifestBuilder builder;
    builder.add(digest_of(first), first_length);
    builder.add(digest_of(second), second_length);
    return builder.finish().identity;
  };
  const Digest one = identity("a", 1, "b", 2);
  CHECK(one == identity("a", 1, "b", 2));
  CHECK(one != identity("b", 1, "a", 2));
  CHECK(one != identity("a", 2, "b", 1));
  CHECK(one != identity("a", 1, "b", 3));
  CHECK(ManifestBuilder().finish().identity == digest_of(""));
}

TEST_CASE("manifest: a chunk outside of the limits is refused") {
  ManifestBuilder builder;
  CHECK(error_id([&] { builder.add({}, 0); }) == "transfer.bad_chunk_length");
  CHECK(error_id([&] { builder.add({}, kChunkMax + 1); }) == "transfer.bad_chunk_length");
  for (std::uint64_t size = 0; size < kFileSizeMax; size += kChunkMax) {
    builder.add({}, kChunkMax);
  }
  CHECK(error_id([&] { builder.add({}, 1); }) == "file.too_large_to_send");
  CHECK(builder.finish().size == kFileSizeMax);
  for (std::uint64_t count = 0; count < kChunksMax; ++count) {
    builder.add({}, 1);
  }
  CHECK(error_id([&] { builder.add({}, 1); }) == "file.too_large_to_send");
}

TEST_CASE("manifest: a piece takes wanted neighbours as long as they fit") {
  const Manifest manifest = three_chunks();
  CHECK(chunks_in_piece(manifest, 0, {true, true, true}, kChunkMax + 101) == 3);
  CHECK(chunks_in_piece(manifest, 0, {true, true, true}, kChunkMax + 100) == 2);
  CHECK(chunks_in_piece(manifest, 0, {true, true, true}, kChunkMax) == 1);
  CHECK(chunks_in_piece(manifest, 0, {true, false, true}, 2 * kChunkMax) == 1);
  CHECK(chunks_in_piece(manifest, 2, {true, true, true}, 2 * kChunkMax) == 1);
}

TEST_CASE("manifest: it is written and read back, and damage of any byte shows") {
  const Manifest manifest = three_chunks();
  const std::string bytes = encode(manifest);
  CHECK(decode_manifest(bytes) == manifest);
  const Manifest empty = ManifestBuilder().finish();
  CHECK(decode_manifest(encode(empty)) == empty);
  const auto complaint = [](const std::string& damaged) {
    return error_id([&] { decode_manifest(damaged); });
  };
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    CHECK(complaint(damaged) == "store.bad_manifest");
    CHECK(complaint(bytes.substr(0, i)) == "store.bad_manifest");
  }
}

}  // namespace
}  // namespace mstune
