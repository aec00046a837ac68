#include "common/os/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>

#include <doctest/doctest.h>

#include "common/error.h"
#include "common/os/identity.h"
#include "tests/unit/common_os/scratch.h"
#include "tests/unit/error_id.h"

namespace mstune::os {
namespace {

namespace fs = std::filesystem;

unsigned mode_of(const fs::path& path) {
  struct stat info {};
  ::lstat(path.c_str(), &info);
  return info.st_mode & 0777U;
}

TEST_CASE("file: an atomic write replaces the content and leaves nothing beside it") {
  const Scratch scratch;
  write_file_atomically(scratch / "a", "one");
  write_file_atomically(scratch / "a", "two");
  CHECK(read_file(scratch / "a") == "two");
  CHECK(std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("file: an atomic write that fails leaves the old content and no temporary file") {
  const Scratch scratch;
  fs::create_directories(scratch / "taken/inside");
  CHECK(error_id([&] { write_file_atomically(scratch / "taken", "x"); }) == "file.cannot_write");
  CHECK(fs::is_directory(scratch / "taken/inside"));
  CHECK(std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("file: the longest possible name can be written atomically") {
  const Scratch scratch;
  const std::string name(255, 'n');
  write_file_atomically(scratch / name, "x");
  CHECK(read_file(scratch / name) == "x");
}

TEST_CASE("file: reading says what is wrong, with the path and the reason") {
  const Scratch scratch;
  try {
    read_file(scratch / "none");
    FAIL("reading a missing file must throw");
  } catch (const Error& error) {
    const std::string text = error.what();
    CHECK(text.find((scratch / "none").string()) != std::string::npos);
    CHECK(text.find("No such file") != std::string::npos);
  }
  CHECK(error_id([&] { read_file(scratch.path()); }) == "file.cannot_read");
}

TEST_CASE("file: the limit is the largest size that is read") {
  const Scratch scratch;
  write_file_atomically(scratch / "a", "12345");
  CHECK(read_file(scratch / "a", 5) == "12345");
  CHECK(error_id([&] { read_file(scratch / "a", 4); }) == "file.too_large");
}

TEST_CASE("file: files of /proc, which have no size, are read whole") {
  CHECK(read_file("/proc/self/status").find("VmRSS") != std::string::npos);
}

TEST_CASE("file: an appended file keeps what it had") {
  const Scratch scratch;
  for (const std::string_view line : {"one\n", "two\n"}) {
    AppendFile file(scratch / "journal");
    file.append(line);
    file.sync();
  }
  CHECK(read_file(scratch / "journal") == "one\ntwo\n");
}

TEST_CASE("directory: a private directory is 0700, also when it was wider before") {
  const Scratch scratch;
  make_private_directory(scratch / "a/b");
  CHECK(mode_of(scratch / "a/b") == 0700U);
  fs::create_directory(scratch / "wide");
  ::chmod((scratch / "wide").c_str(), 0755);
  make_private_directory(scratch / "wide");
  CHECK(mode_of(scratch / "wide") == 0700U);
}

TEST_CASE("directory: a link is not taken for a private directory") {
  const Scratch scratch;
  fs::create_directory(scratch / "real");
  fs::create_directory_symlink(scratch / "real", scratch / "link");
  CHECK(error_id([&] { make_private_directory(scratch / "link"); }) == "directory.not_ours");
}

TEST_CASE("directory: a file in the way is an error that names it") {
  const Scratch scratch;
  append_to(scratch / "file", "x");
  CHECK(error_id([&] { make_directory(scratch / "file"); }) == "directory.cannot_make");
  CHECK(error_id([&] { make_directory(scratch / "file/below"); }) == "directory.cannot_make");
}

TEST_CASE("directory: removing a tree keeps what its links point to") {
  const Scratch scratch;
  append_to(scratch / "kept", "x");
  fs::create_directories(scratch / "tree/deep");
  fs::create_directory(scratch / "other");
  append_to(scratch / "other/kept", "x");
  fs::create_symlink(scratch / "kept", scratch / "tree/deep/file");
  fs::create_directory_symlink(scratch / "other", scratch / "tree/directory");
  remove_tree(scratch / "tree");
  remove_tree(scratch / "tree");
  CHECK_FALSE(fs::exists(scratch / "tree"));
  CHECK(read_file(scratch / "kept") == "x");
  CHECK(read_file(scratch / "other/kept") == "x");
}

TEST_CASE("directory: unique directories differ and are private") {
  const Scratch scratch;
  const auto first = make_unique_directory(scratch.path(), "x-");
  const auto second = make_unique_directory(scratch.path(), "x-");
  CHECK(first != second);
  CHECK(mode_of(first) == 0700U);
}

TEST_CASE("directory: free space is told for a place that exists") {
  const Scratch scratch;
  CHECK(free_space(scratch.path()) > 0);
  CHECK(free_space("/proc") == 0);
  CHECK(error_id([] { free_space("/no/such/place"); }) == "directory.no_free_space");
}

TEST_CASE("paths: they become absolute as text, without looking at the disk") {
  CHECK(absolute_path("a/../b/./c", "/base") == "/base/b/c");
  CHECK(absolute_path("/x/../y", "/base") == "/y");
  CHECK(absolute_path("a") == fs::current_path() / "a");
}

TEST_CASE("paths: only a leading ~ of its own is the home directory") {
  CHECK(expand_home("~", "/home/u") == "/home/u");
  CHECK(expand_home("~/x", "/home/u") == "/home/u/x");
  CHECK(expand_home("~other/x", "/home/u") == "~other/x");
  CHECK(expand_home("a~", "/home/u") == "a~");
}

TEST_CASE("identity: random ids are hex, as long as asked, and differ") {
  const std::string first = random_hex_id(16);
  CHECK(first.size() == 32);
  CHECK(std::all_of(first.begin(), first.end(),
                    [](unsigned char c) { return std::isxdigit(c) != 0 && std::isupper(c) == 0; }));
  CHECK(first != random_hex_id(16));
}

TEST_CASE("identity: the boot has one id, of 36 characters") {
  CHECK(boot_id().size() == 36);
  CHECK(boot_id() == boot_id());
}

}  // namespace
}  // namespace mstune::os
