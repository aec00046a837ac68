#include "common/os/key_file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "common/os/file.h"
#include "tests/unit/common_os/scratch.h"
#include "tests/unit/error_id.h"

namespace mstune::os {
namespace {

namespace fs = std::filesystem;

KeyPair pair_of(const std::string& name, unsigned char value) {
  KeyPair pair{name, {}, {}};
  pair.public_key.fill(value);
  pair.secret_key.fill(static_cast<unsigned char>(value + 1));
  return pair;
}

unsigned mode_of(const fs::path& path) {
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  return info.st_mode & 0777U;
}

TEST_CASE("key file: the secret is 0600 and a second one does not take its place") {
  const Scratch scratch;
  const fs::path path = scratch.path() / "keys" / "a.key";
  const fs::path public_path = write_key_pair(path, pair_of("a", 1));
  CHECK(mode_of(path) == 0600);
  CHECK(mode_of(path.parent_path()) == 0700);
  CHECK(public_path == scratch.path() / "keys" / "a.pub");
  CHECK(error_id([&] { write_key_pair(path, pair_of("b", 2)); }) == "key.exists");
  CHECK(read_secret_key(path).name == "a");
}

TEST_CASE("key file: one that others can read, or a link, is not used") {
  const Scratch scratch;
  const fs::path path = scratch.path() / "a.key";
  write_key_pair(path, pair_of("a", 1));
  fs::create_symlink(path, scratch.path() / "link.key");
  CHECK(error_id([&] { read_secret_key(scratch.path() / "link.key"); }) == "file.cannot_read");
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  CHECK(error_id([&] { read_secret_key(path); }) == "file.wide_permissions");
  CHECK(error_id([&] { read_secret_key(scratch.path() / "none.key"); }) == "key.none");
}

TEST_CASE("key file: a list is a file or the .pub files of a directory, and changes show") {
  const Scratch scratch;
  write_key_pair(scratch.path() / "a.key", pair_of("a", 1));
  CHECK(read_authorized_at(scratch.path() / "a.pub").names.size() == 1);
  const std::string before = authorized_signature(scratch.path());
  write_key_pair(scratch.path() / "b.key", pair_of("b", 2));
  CHECK(authorized_signature(scratch.path()) != before);
  CHECK(read_authorized_at(scratch.path()).names.size() == 2);
  REQUIRE(::chmod((scratch.path() / "b.pub").c_str(), 0666) == 0);
  CHECK(error_id([&] { read_authorized_at(scratch.path()); }) == "file.wide_permissions");
}

TEST_CASE("key file: a list that cannot be read for want of descriptors is no empty list") {
  const Scratch scratch;
  write_key_pair(scratch.path() / "a.key", pair_of("a", 1));
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit none = before;
  none.rlim_cur = 0;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const std::string of_directory = error_id([&] { read_authorized_at(scratch.path()); });
  const std::string of_signature = error_id([&] { authorized_signature(scratch.path()); });
  const std::string of_file = error_id([&] { read_authorized_at(scratch.path() / "a.pub"); });
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(of_directory == "file.unreadable_now");
  CHECK(of_signature == "file.unreadable_now");
  CHECK(of_file == "file.unreadable_now");
  CHECK(read_authorized_at(scratch.path()).names.size() == 1);
}

}  // namespace
}  // namespace mstune::os
