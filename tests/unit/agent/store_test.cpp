#include "agent/store.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/unit/agent/store_fixture.h"
#include "tests/unit/random_bytes.h"

namespace mstune::agent {
namespace {

namespace fs = std::filesystem;

std::string laid_out(Store& store, const Content& content, const os::Scratch& scratch) {
  const fs::path directory = os::make_unique_directory(scratch.path(), "trial-");
  store.lay_out(directory, {{"model.om", content.identity()}});
  return read(directory / "model.om");
}

fs::path blob_path(const os::Scratch& scratch, const Content& content) {
  return scratch / ("store/blobs/" + hex(content.identity()));
}

void overwrite(const fs::path& path, std::size_t at, char byte) {
  fs::permissions(path, fs::perms::owner_write, fs::perm_options::add);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(byte);
}

TEST_CASE("store: what was sent is there, whole, after a restart too") {
  const os::Scratch scratch;
  const Content content(random_bytes(1'000'000, 1));
  {
    Store store(scratch / "store", store_options());
    CHECK_FALSE(store.contains(content.identity()));
    CHECK(add(store, content) == content.bytes.size());
    CHECK(store.contains(content.identity()));
    CHECK(laid_out(store, content, scratch) == content.bytes);
  }
  Store store(scratch / "store", store_options());
  CHECK(store.contains(content.identity()));
  CHECK(laid_out(store, content, scratch) == content.bytes);
  CHECK(store.usage().blobs == 1);
  CHECK(store.usage().bytes == content.bytes.size());
}

TEST_CASE("store: a file of zero bytes is a file like others") {
  const os::Scratch scratch;
  const Content empty("");
  Store store(scratch / "store", store_options());
  CHECK(store.open(empty.manifest).empty());
  store.complete(empty.identity());
  CHECK(store.contains(empty.identity()));
  CHECK(laid_out(store, empty, scratch).empty());
}

TEST_CASE("store: a sibling costs only what is new, wherever the common part lies") {
  const os::Scratch scratch;
  Store store(scratch / "store", store_options());
  const std::string weights = random_bytes(4'000'000, 1);
  add(store, Content(random_bytes(1000, 2) + weights));
  for (const std::size_t head : {1000U, 5000U, 4096U, 65536U + 1000U}) {
    const Content sibling(random_bytes(head, head) + weights);
    CHECK(add(store, sibling) < head + 3 * kChunkMax);
    CHECK(laid_out(store, sibling, scratch) == sibling.bytes);
  }
}

TEST_CASE("store: parts of several blobs are put together") {
  const os::Scratch scratch;
  Store store(scratch / "store", store_options());
  const Content first(random_bytes(2'000'000, 1));
  const Content second(random_bytes(2'000'000, 2));
  add(store, first);
  add(store, second);
  const Content both(second.bytes + first.bytes + second.bytes);
  CHECK(add(store, both) < 6 * kChunkMax);
  CHECK(laid_out(store, both, scratch) == both.bytes);
}

TEST_CASE("store: bytes that repeat within a file are asked for once") {
  const os::Scratch scratch;
  Store store(scratch / "store", store_options());
  const Content zeros(std::string(3'000'000, '\0'));
  CHECK(add(store, zeros) <= 2 * kChunkMax);
  CHECK(laid_out(store, zeros, scratch) == zeros.bytes);
}

TEST_CASE("store: what a broken-off upload left is kept, over a restart too") {
  const os::Scratch scratch;
  const Content content(random_bytes(2'000'000, 1));
  std::uint64_t sent = 0;
  {
    Store store(scratch / "store", store_options());
    sent += send(store, content, store.open(content.manifest), 10);
    store.close(content.identity());
    sent += send(store, content, store.open(content.manifest), 20);
  }
  Store store(scratch / "store", store_options());
  CHECK_FALSE(store.contains(content.identity()));
  REQUIRE(store.partial_manifest(content.identity()) != nullptr);
  CHECK(*store.partial_manifest(content.identity()) == *content.manifest);
  sent += add(store, content);
  CHECK(sent == content.bytes.size());
  CHECK(laid_out(store, content, scratch) == content.bytes);
  CHECK(store.partial_manifest(content.identity()) == nullptr);
}

TEST_CASE("store: of a damaged partial file only the damaged chunk is asked for again") {
  const os::Scratch scratch;
  const Content content(random_bytes(2'000'000, 1));
  {
    Store store(scratch / "store", store_options());
    send(store, content, store.open(content.manifest), 20);
  }
  const std::uint64_t at = content.manifest->chunks[7].offset;
  overwrite(scratch / ("store/partial/" + hex(content.identity())), at,
            static_cast<char>(content.bytes[at] ^ 1));
  Store store(scratch / "store", store_options());
  const auto lacks = store.open(content.manifest);
  for (std::size_t i = 0; i < 20; ++i) {
    CHECK(lacks[i] == (i == 7));
  }
}

TEST_CASE("store: chunks with another digest are refused and do not count") {
  const os::Scratch scratch;
  Store store(scratch / "store", store_options());
  const Content content(random_bytes(500'000, 1));
  store.open(content.manifest);
  std::string wrong(content.chunk(0));
  wrong.back() = static_cast<char>(wrong.back() ^ 1);
  CHECK(error_id([&] { store.write(content.identity(), 0, 1, wrong); }) == "store.wrong_digest");
  CHECK(error_id([&] { store.complete(content.identity()); }) == "store.incomplete");
  store.close(content.identity());
  CHECK(store.open(content.manifest)[0]);
  CHECK(error_id([&] { store.write(Digest{}, 0, 1, ""); }) == "store.not_open");
}

TEST_CASE("store: a blob that somebody wrote to is found out, and never laid out") {
  const os::Scratch scratch;
  Store store(scratch / "store", store_options());
  const Content content(random_bytes(500'000, 1));
  SUBCASE("in the store") {
    add(store, content);
    overwrite(blob_path(scratch, content), 1234, static_cast<char>(content.bytes[1234] ^ 1));
  }
  SUBCASE("through the link in a trial's directory") {
    add(store, content);
    fs::create_directory(scratch / "trial");
    store.lay_out(scratch / "trial", {{"model.om", content.identity()}});
    overwrite(scratch / "trial/model.om", 1234, static_cast<char>(content.bytes[1234] ^ 1));
  }
  SUBCASE("cut short") {
    add(store, content);
    fs::resize_file(blob_path(scratch, content), 100);
  }
  SUBCASE("gone") {
    add(store, content);
    fs::remove(blob_path(scratch, content));
  }
  CHECK(error_id([&] { laid_out(store, content, scratch); }) == "store.damaged_blob");
  CHECK(error_id([&] { laid_out(store, content, scratch); }) == "store.missing_blob");
  CHECK(store.usage().bytes == 0);
  CHECK(add(store, content) == content.bytes.size());
  CHECK(laid_out(store, content, scratch) == content.bytes);
}

TEST_CASE("store: a blob that was written to and has its bytes all the same is kept") {
  const os::Scratch scratch;
  Store store(scratch / "store", store_options());
  const Content content(random_bytes(500'000, 1));
  add(store, content);
  overwrite(blob_path(scratch, content), 1234, content.bytes[1234]);
  CHECK(laid_out(store, content, scratch) == content.bytes);
}

TEST_CASE("store: a damaged blob gives no chunks to others") {
  const os::Scratch scratch;
  Store store(scratch / "store", store_options());
  const Content content(random_bytes(500'000, 1));
  add(store, content);
  overwrite(blob_path(scratch, content), 1234, static_cast<char>(content.bytes[1234] ^ 1));
  const Content sibling(content.bytes + "more");
  CHECK(add(store, sibling) == sibling.bytes.size());
  CHECK(laid_out(store, sibling, scratch) == sibling.bytes);
}

TEST_CASE("store: after a restart of the machine a blob is checked before it counts") {
  const os::Scratch scratch;
  const Content sound(random_bytes(500'000, 1));
  const Content lost(random_bytes(500'000, 2));
  {
    Store store(scratch / "store", store_options());
    add(store, sound);
    add(store, lost);
  }
  // As after a power cut that lost data but no metadata: other bytes, the same time.
  struct stat before {};
  REQUIRE(stat(blob_path(scratch, lost).c_str(), &before) == 0);
  overwrite(blob_path(scratch, lost), 99, static_cast<char>(lost.bytes[99] ^ 1));
  const timespec times[2] = {before.st_atim, before.st_mtim};
  REQUIRE(utimensat(AT_FDCWD, blob_path(scratch, lost).c_str(), times, 0) == 0);
  std::ofstream(scratch / "store/boot") << "another boot";

  Store store(scratch / "store", store_options());
  CHECK(store.contains(sound.identity()));
  CHECK_FALSE(store.contains(lost.identity()));
}

TEST_CASE("store: leftovers of crashes go at the next start, and foreign files stay") {
  const os::Scratch scratch;
  const Content content(random_bytes(300'000, 1));
  const Content other(random_bytes(300'000, 2));
  {
    Store store(scratch / "store", store_options());
    add(store, content);
    send(store, other, store.open(other.manifest));
  }
  fs::remove(blob_path(scratch, content).concat(".chunks"));
  std::ofstream(scratch / ("store/partial/" + hex(other.identity()) + ".chunks")) << "half";
  fs::create_symlink("/etc/passwd", scratch / ("store/blobs/" + std::string(64, 'a')));
  std::ofstream(scratch / "store/blobs/notes") << "mine";

  Store store(scratch / "store", store_options());
  CHECK(store.usage().blobs == 0);
  CHECK_FALSE(fs::exists(blob_path(scratch, content)));
  CHECK_FALSE(fs::exists(fs::symlink_status(scratch / ("store/blobs/" + std::string(64, 'a')))));
  CHECK(fs::exists(scratch / "store/blobs/notes"));
  CHECK(store.partial_manifest(other.identity()) == nullptr);
  CHECK(add(store, other) == 0);  // its chunks were there, and their digests said so
}

TEST_CASE("store: it is private, and one process's at a time") {
  const os::Scratch scratch;
  fs::create_directory(scratch / "store");
  fs::permissions(scratch / "store", fs::perms::all);
  Store store(scratch / "store", store_options());
  for (const auto& path : {scratch / "store", scratch / "store/blobs", scratch / "store/partial"}) {
    CHECK(fs::status(path).permissions() == fs::perms::owner_all);
  }
  CHECK(error_id([&] { Store(scratch / "store", store_options()); }) == "store.in_use");
  std::ofstream(scratch / "file") << "";
  CHECK(error_id([&] { Store(scratch / "file", store_options()); }) == "store.cannot_open");
  fs::create_symlink(scratch / "store", scratch / "link");
  CHECK(error_id([&] { Store(scratch / "link", store_options()); }) == "store.cannot_open");
}

}  // namespace
}  // namespace mstune::agent
