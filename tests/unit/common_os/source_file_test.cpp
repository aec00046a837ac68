#include "common/os/source_file.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "common/chunker.h"
#include "tests/unit/common_os/scratch.h"
#include "tests/unit/error_id.h"
#include "tests/unit/random_bytes.h"

namespace mstune::os {
namespace {

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

Manifest manifest_of(const SourceFile& file) {
  return compute_manifest(file, {});
}

void check_against(const Manifest& manifest, const std::string& bytes) {
  CHECK(manifest.size == bytes.size());
  Chunker chunker;
  std::string_view rest = bytes;
  for (const mstune::Chunk& chunk : manifest.chunks) {
    CHECK(digest_of(std::string_view(bytes).substr(chunk.offset, chunk.length)) == chunk.digest);
    CHECK(chunk.length == chunker.find_cut(rest).value_or(rest.size()));
    rest.remove_prefix(chunk.length);
  }
}

TEST_CASE("source file: the manifest is that of the bytes, also around the size of a buffer") {
  const Scratch scratch;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, kChunkMin, kChunkMax, std::size_t{1} << 20U,
        std::size_t{4} << 20U, (std::size_t{4} << 20U) + 1, std::size_t{9'000'000}}) {
    const std::string bytes = random_bytes(size, size);
    write(scratch / "om", bytes);
    const SourceFile file = open_source(scratch / "om");
    const Manifest manifest = manifest_of(file);
    check_against(manifest, bytes);
    for (const mstune::Chunk& chunk : manifest.chunks) {
      CHECK(read_piece(file, chunk.offset, chunk.length) ==
            bytes.substr(chunk.offset, chunk.length));
    }
  }
}

TEST_CASE("source file: chunks of the largest size are cut alike in every place of a buffer") {
  const Scratch scratch;
  const std::string bytes =
      std::string(5'000'000, '\0') + random_bytes(100, 6) + std::string(5'000'000, '\0');
  write(scratch / "om", bytes);
  check_against(manifest_of(open_source(scratch / "om")), bytes);
}

TEST_CASE("source file: with a sibling the manifest is the same") {
  const Scratch scratch;
  const std::string weights = random_bytes(4'000'000, 1);
  write(scratch / "sibling", weights);
  const SourceFile sibling = open_source(scratch / "sibling");
  const Manifest known = manifest_of(sibling);

  std::string changed_within = weights;
  changed_within.replace(1'000'000, 50'000, random_bytes(50'000, 2));
  const std::string zeros(1'000'000, '\0');
  for (const std::string& bytes :
       {weights, random_bytes(70'001, 3) + weights, weights.substr(123'456), changed_within,
        weights + random_bytes(99'999, 4), weights.substr(0, 3'000'000), std::string(),
        weights + weights, weights.substr(0, 2'000'000) + zeros + weights.substr(2'000'000),
        random_bytes(500'000, 5)}) {
    write(scratch / "om", bytes);
    const SourceFile file = open_source(scratch / "om");
    const Manifest manifest = compute_manifest(file, {}, {&sibling, &known});
    CHECK(manifest == manifest_of(file));
    check_against(manifest, bytes);
  }
}

TEST_CASE("source file: a sibling that has changed does no harm") {
  const Scratch scratch;
  write(scratch / "sibling", random_bytes(1'000'000, 1));
  const SourceFile sibling = open_source(scratch / "sibling");
  const Manifest known = manifest_of(sibling);
  write(scratch / "sibling", random_bytes(900'000, 2));
  const std::string bytes = random_bytes(900'000, 2);
  write(scratch / "om", bytes);
  const SourceFile file = open_source(scratch / "om");
  check_against(compute_manifest(file, {}, {&sibling, &known}), bytes);
}

TEST_CASE("source file: a change between opening, reading and sending is found out") {
  const Scratch scratch;
  const auto path = scratch / "om";
  write(path, random_bytes(300'000, 1));
  const SourceFile longer = open_source(path);
  append_to(path, "x");
  CHECK(error_id([&] { manifest_of(longer); }) == "file.changed");
  CHECK(error_id([&] { read_piece(longer, 0, 1); }) == "file.changed");

  const SourceFile cut = open_source(path);
  std::filesystem::resize_file(path, 10);
  CHECK(error_id([&] { read_piece(cut, 0, 100); }) == "file.changed");

  const SourceFile touched = open_source(path);
  std::filesystem::last_write_time(
      path, std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  CHECK(error_id([&] { manifest_of(touched); }) == "file.changed");
}

TEST_CASE("source file: one that another took the place of is still read as it was opened") {
  const Scratch scratch;
  write(scratch / "om", "old");
  const SourceFile file = open_source(scratch / "om");
  write(scratch / "new", "new");
  std::filesystem::rename(scratch / "new", scratch / "om");
  CHECK(read_piece(file, 0, 3) == "old");
}

TEST_CASE("source file: only a regular file is taken, and a pipe does not block") {
  const Scratch scratch;
  CHECK(error_id([&] { open_source(scratch / "missing"); }) == "file.cannot_read");
  CHECK(error_id([&] { open_source(scratch.path()); }) == "file.cannot_read");
  REQUIRE(mkfifo((scratch / "pipe").c_str(), 0600) == 0);
  CHECK(error_id([&] { open_source(scratch / "pipe"); }) == "file.cannot_read");
}

TEST_CASE("source file: reading can be stopped") {
  const Scratch scratch;
  write(scratch / "om", random_bytes(100'000, 1));
  const SourceFile file = open_source(scratch / "om");
  std::stop_source stop;
  stop.request_stop();
  CHECK(error_id([&] { compute_manifest(file, stop.get_token()); }) == "file.reading_cancelled");
}

}  // namespace
}  // namespace mstune::os
