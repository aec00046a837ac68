// The store's limits: how it makes room, what it spares, and what a full disk does to it.
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "agent/store.h"
#include "agent/store_index.h"
#include "tests/unit/agent/store_fixture.h"
#include "tests/unit/random_bytes.h"

namespace mstune::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSize = 300'000;

// A file may not become longer than this as long as it lives: a write fails in the middle.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::uint64_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST_CASE("store index: idle partial files go first, then blobs by their last use") {
  StoreIndex index;
  const auto digest = [](const char* name) { return digest_of(name); };
  index.put(digest("old"), {Kind::blob, 10, 1, false});
  index.put(digest("pinned"), {Kind::blob, 10, 2, false});
  index.put(digest("new"), {Kind::blob, 10, 4, false});
  index.put(digest("idle"), {Kind::partial, 10, 9, false});
  index.put(digest("receiving"), {Kind::partial, 10, 3, true});
  index.pin(digest("pinned"));
  index.pin(digest("pinned"));
  using List = std::vector<Digest>;
  CHECK(index.droppable() == List{digest("idle"), digest("old"), digest("new")});
  CHECK(index.bytes() == 50);
  CHECK(index.pinned_bytes() == 10);
  CHECK(index.to_free(0, {}) == List{});
  CHECK(index.to_free(10, {}) == List{digest("idle")});
  CHECK(index.to_free(11, {}) == List{digest("idle"), digest("old")});
  CHECK(index.to_free(20, digest("old")) == List{digest("idle"), digest("new")});
  CHECK(index.to_free(30, {}).has_value());
  CHECK_FALSE(index.to_free(31, {}).has_value());
  index.unpin(digest("pinned"));
  CHECK_FALSE(index.to_free(31, {}).has_value());
  index.unpin(digest("pinned"));
  CHECK(index.to_free(31, {}).has_value());
  index.unpin(digest("never pinned"));
}

TEST_CASE(
    "store: a forgotten blob goes when nobody needs it, and stays when somebody asks for it") {
  const os::Scratch scratch;
  const Content first(random_bytes(kSize, 1));
  const Content second(random_bytes(kSize, 2));
  const Content third(random_bytes(kSize, 3));
  Store store(scratch / "store", store_options(10 * kSize));
  add(store, first);
  add(store, second);
  add(store, third);
  store.forget(first.identity());
  CHECK_FALSE(store.contains(first.identity()));
  CHECK(store.usage().blobs == 2);
  store.pin(second.identity());
  store.forget(second.identity());
  CHECK(store.usage().blobs == 2);  // a trial needs it
  store.unpin(second.identity());
  CHECK_FALSE(store.contains(second.identity()));
  store.pin(third.identity());
  store.forget(third.identity());
  CHECK(store.contains(third.identity()));  // another campaign offers it
  store.unpin(third.identity());
  CHECK(store.contains(third.identity()));
  CHECK(store.usage().free_bytes > 0);
}

TEST_CASE("store: a broken-off upload is forgotten as well") {
  const os::Scratch scratch;
  const Content content(random_bytes(kSize, 4));
  Store store(scratch / "store", store_options(10 * kSize));
  store.open(content.manifest);
  store.forget(content.identity());  // it is being received: not now
  CHECK(store.partial_manifest(content.identity()) != nullptr);
  store.close(content.identity());
  store.forget(content.identity());
  CHECK(store.partial_manifest(content.identity()) == nullptr);
  CHECK(store.usage().bytes == 0);
}

TEST_CASE("store: the least recently used blob makes room, also after a restart") {
  const os::Scratch scratch;
  const Content first(random_bytes(kSize, 1));
  const Content second(random_bytes(kSize, 2));
  const Content third(random_bytes(kSize, 3));
  {
    Store store(scratch / "store", store_options(2 * kSize));
    add(store, first);
    add(store, second);
    CHECK(store.contains(first.identity()));  // a use
  }
  Store store(scratch / "store", store_options(2 * kSize));
  add(store, third);
  CHECK_FALSE(store.contains(second.identity()));
  CHECK(store.contains(first.identity()));
  CHECK(store.contains(third.identity()));
  CHECK(store.usage().bytes == 2 * kSize);
}

TEST_CASE("store: pinned blobs stay, and a file that cannot fit drops nothing") {
  const os::Scratch scratch;
  const Content pinned(random_bytes(kSize, 1));
  const Content idle(random_bytes(kSize, 2));
  const Content large(random_bytes(kSize + 1, 3));
  Store store(scratch / "store", store_options(2 * kSize));
  store.pin(pinned.identity());
  add(store, pinned);
  add(store, idle);
  CHECK(error_id([&] { store.open(large.manifest); }) == "store.full");
  CHECK(store.contains(idle.identity()));
  CHECK(store.purge() == kSize);
  CHECK(store.contains(pinned.identity()));
  store.unpin(pinned.identity());
  add(store, large);
  CHECK_FALSE(store.contains(pinned.identity()));
  CHECK(store.purge() == kSize + 1);
  CHECK(fs::is_empty(scratch / "store/blobs"));
}

TEST_CASE("store: purging spares what is being received") {
  const os::Scratch scratch;
  Store store(scratch / "store", store_options());
  const Content content(random_bytes(kSize, 1));
  const auto lacks = store.open(content.manifest);
  send(store, content, lacks, 2);
  CHECK(store.purge() == 0);
  for (std::size_t i = 2; i < lacks.size(); ++i) {
    store.write(content.identity(), i, 1, content.chunk(i));
  }
  store.complete(content.identity());
  CHECK(store.contains(content.identity()));
  store.open(Content("other").manifest);
  store.close(Content("other").identity());
  CHECK(store.purge() == kSize + 5);
  CHECK(fs::is_empty(scratch / "store/partial"));
}

TEST_CASE("store: too little free disk is said before anything is sent") {
  const os::Scratch scratch;
  const Content content(random_bytes(kSize, 1));
  const Content other(random_bytes(kSize, 2));
  {
    Store store(scratch / "store", store_options());
    add(store, content);
  }
  const std::uint64_t free = os::free_space(scratch.path());
  Store store(scratch / "store", {std::uint64_t{1} << 40U, 2 * free});
  CHECK(error_id([&] { store.open(other.manifest); }) == "store.no_room");
  CHECK(store.contains(content.identity()));
}

TEST_CASE("store: a write that fails in the middle leaves a sound store") {
  const os::Scratch scratch;
  Store store(scratch / "store", store_options());
  const Content known(random_bytes(kSize, 1));
  add(store, known);
  const Content content(random_bytes(1'000'000, 2));
  const auto lacks = store.open(content.manifest);
  {
    const FileSizeLimit limit(500'000);
    CHECK(error_id([&] { send(store, content, lacks); }) == "store.cannot_write");
    CHECK(error_id([&] { store.complete(content.identity()); }) == "store.incomplete");
    CHECK(store.contains(known.identity()));
    store.close(content.identity());
  }
  CHECK(add(store, content) < content.bytes.size());
  fs::create_directory(scratch / "trial");
  store.lay_out(scratch / "trial", {{"a", content.identity()}, {"b", known.identity()}});
  CHECK(read(scratch / "trial/a") == content.bytes);
  CHECK(read(scratch / "trial/b") == known.bytes);
}

TEST_CASE("store: a file that cannot even be begun leaves nothing behind that counts twice") {
  const os::Scratch scratch;
  Store store(scratch / "store", store_options());
  const Content content(random_bytes(1'000'000, 2));
  {
    const FileSizeLimit limit(500'000);
    CHECK(error_id([&] { store.open(content.manifest); }) == "store.cannot_write");
  }
  CHECK(add(store, content) == content.bytes.size());
  CHECK(store.usage().bytes == content.bytes.size());
}

TEST_CASE("store: files are laid out as links, below their directory, and never over others") {
  const os::Scratch scratch;
  Store store(scratch / "store", store_options());
  const Content om("om");
  const Content weight("weight");
  add(store, om);
  add(store, weight);
  fs::create_directory(scratch / "trial");
  store.lay_out(scratch / "trial", {{"model_linux_aarch64.om", om.identity()},
                                    {"weight/a/b", weight.identity()},
                                    {"weight/c", weight.identity()}});
  CHECK(read(scratch / "trial/weight/a/b") == "weight");
  CHECK(fs::hard_link_count(scratch / "trial/weight/c") == 3);
  CHECK(fs::status(scratch / "trial/weight").permissions() == fs::perms::owner_all);
  CHECK((fs::status(scratch / "trial/weight/c").permissions() & fs::perms(0222)) ==
        fs::perms::none);

  const auto lay_out = [&](const char* name) {
    return error_id([&] { store.lay_out(scratch / "trial", {{name, om.identity()}}); });
  };
  CHECK(lay_out("weight/c") == "store.cannot_lay_out");
  CHECK(lay_out("weight/c/d") == "store.cannot_lay_out");
  CHECK(lay_out("../escaped") == "file.bad_name");
  fs::create_directory(scratch / "outside");
  fs::create_directory_symlink(scratch / "outside", scratch / "trial/link");
  CHECK(lay_out("link/escaped") == "store.cannot_lay_out");
  CHECK(fs::is_empty(scratch / "outside"));
  CHECK(error_id([&] {
          store.lay_out(scratch / "missing", {{"a", om.identity()}});
        }) == "store.cannot_lay_out");
}

TEST_CASE("store: on another disk a blob is laid out as a copy") {
  // Most machines have this one; where it is missing or on the same disk there is nothing to show.
  const fs::path elsewhere = "/dev/shm";
  const os::Scratch scratch;
  struct stat here {};
  struct stat there {};
  stat(scratch.path().c_str(), &here);
  if (stat(elsewhere.c_str(), &there) != 0 || here.st_dev == there.st_dev) {
    MESSAGE("no second file system here");
    return;
  }
  Store store(scratch / "store", store_options());
  const Content content(random_bytes(kSize, 1));
  add(store, content);
  const fs::path directory = os::make_unique_directory(elsewhere, "mstune-test-");
  store.lay_out(directory, {{"a", content.identity()}});
  CHECK(read(directory / "a") == content.bytes);
  CHECK(fs::hard_link_count(directory / "a") == 1);
  os::remove_tree(directory);
}

}  // namespace
}  // namespace mstune::agent
