#include "common/os/new_file.h"

#include <doctest/doctest.h>

#include "common/error.h"
#include "common/os/file.h"
#include "tests/unit/common_os/scratch.h"

namespace mstune::os {
namespace {

namespace fs = std::filesystem;

TEST_CASE("new file: what stood there stands there until the new one is put in its place") {
  const Scratch scratch;
  write_file_atomically(scratch / "a", "old");
  NewFile file(scratch / "a");
  file.append("new");
  CHECK(read_file(scratch / "a") == "old");
  file.append("er");
  file.put_in_place();
  CHECK(read_file(scratch / "a") == "newer");
  CHECK(remove_drafts(scratch.path()) == 0);
}

TEST_CASE("new file: one that is given up leaves nothing") {
  const Scratch scratch;
  { NewFile(scratch / "a").append("half"); }
  CHECK(fs::is_empty(scratch.path()));
}

TEST_CASE("new file: a link in its place is replaced and not followed") {
  const Scratch scratch;
  write_file_atomically(scratch / "elsewhere", "mine");
  fs::create_symlink(scratch / "elsewhere", scratch / "a");
  NewFile file(scratch / "a");
  file.append("new");
  file.put_in_place();
  CHECK(read_file(scratch / "elsewhere") == "mine");
  CHECK(fs::is_regular_file(fs::symlink_status(scratch / "a")));
}

TEST_CASE("new file: where none can be made the error names the file that was wanted") {
  const Scratch scratch;
  try {
    NewFile(scratch / "nowhere" / "a");
    FAIL("it was made");
  } catch (const Error& error) {
    CHECK(error.message().text.find((scratch / "nowhere" / "a").string()) != std::string::npos);
  }
}

TEST_CASE("new file: drafts of a crash are removed, and nothing else") {
  const Scratch scratch;
  append_to(scratch / ".tmp-0123456789abcdef", "half");
  append_to(scratch / "kept", "whole");
  make_directory(scratch / ".tmp-directory");
  CHECK(remove_drafts(scratch.path()) == 1);
  CHECK(fs::exists(scratch / "kept"));
  CHECK(fs::exists(scratch / ".tmp-directory"));
  CHECK(remove_drafts(scratch / "nowhere") == 0);
}

}  // namespace
}  // namespace mstune::os
