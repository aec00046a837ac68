#include "agent/blob_io.h"

#include <fcntl.h>

#include <doctest/doctest.h>

#include "common/os/file.h"
#include "tests/unit/common_os/scratch.h"
#include "tests/unit/error_id.h"
#include "tests/unit/loop_disk.h"
#include "tests/unit/random_bytes.h"

namespace mstune::agent {
namespace {

constexpr std::size_t kBytes = std::size_t{16} << 20U;

// Copies a range of `from` to a file beside it; that file's content.
std::string copied(const std::filesystem::path& from, std::uint64_t from_offset,
                   std::uint64_t to_offset, std::uint64_t length) {
  const std::filesystem::path to = from.string() + ".copy";
  const os::UniqueFd source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  const os::UniqueFd target(::open(to.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  CHECK(blob_io::copy_range({source.value(), from_offset}, {target.value(), to_offset}, length,
                            "copy"));
  return os::read_file(to);
}

TEST_CASE("blob io: a range is copied byte for byte, wherever it begins and ends") {
  const os::Scratch scratch;
  const std::string bytes = random_bytes(40'000, 3);
  os::append_to(scratch / "a", bytes);
  for (const std::uint64_t from : {0U, 1U, 4095U, 4096U, 5000U}) {
    for (const std::uint64_t to : {0U, 1U, 4096U, 5000U}) {
      for (const std::uint64_t length : {0U, 1U, 4096U, 20'000U}) {
        CAPTURE(from);
        CAPTURE(to);
        CAPTURE(length);
        CHECK(copied(scratch / "a", from, to, length) ==
              (length == 0 ? std::string() : std::string(to, '\0') + bytes.substr(from, length)));
      }
    }
  }
}

TEST_CASE("blob io: a long range is copied by two threads") {
  const os::Scratch scratch;
  const std::string bytes = random_bytes(kBytes, 5);
  os::append_to(scratch / "a", bytes);
  for (const std::uint64_t length : {kBytes - 77, kBytes - 77 - 4096, std::size_t{1} << 20U}) {
    CHECK(copied(scratch / "a", 77, 1234, length) ==
          std::string(1234, '\0') + bytes.substr(77, length));
  }
  const os::UniqueFd source(::open((scratch / "a").c_str(), O_RDONLY | O_CLOEXEC));
  const os::UniqueFd target(::open((scratch / "b").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  CHECK_FALSE(blob_io::copy_range({source.value(), 1}, {target.value(), 0}, kBytes, "b"));
}

TEST_CASE("blob io: a disk without room for a copy is said before any of it is written") {
  const os::Scratch scratch;
  const os::LoopDisk disk(scratch.path(), {"mkfs.ext4", "-q"}, 10'000'000);
  if (!disk.is_there()) {
    MESSAGE("left out: no mkfs.ext4 here, or this user may not mount");
    return;
  }
  os::append_to(scratch / "a", random_bytes(kBytes, 6));
  const os::UniqueFd source(::open((scratch / "a").c_str(), O_RDONLY | O_CLOEXEC));
  const os::UniqueFd target(
      ::open((disk.path() / "b").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  CHECK(error_id([&] {
          blob_io::copy_range({source.value(), 0}, {target.value(), 0}, kBytes, "b");
        }) == "store.disk_full");
  CHECK(os::read_file(disk.path() / "b").empty());
}

TEST_CASE("blob io: a source that has less is found out") {
  const os::Scratch scratch;
  os::append_to(scratch / "a", "short");
  const os::UniqueFd source(::open((scratch / "a").c_str(), O_RDONLY | O_CLOEXEC));
  const os::UniqueFd target(::open((scratch / "b").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  CHECK_FALSE(blob_io::copy_range({source.value(), 0}, {target.value(), 0}, 6, "b"));
}

TEST_CASE("blob io: blocks are shared where the file system can, and only the ends are copied") {
  const os::Scratch scratch;
  const os::LoopDisk disk(scratch.path(), {"mkfs.xfs", "-q", "-m", "reflink=1"}, 400'000'000);
  if (!disk.is_there()) {
    MESSAGE("left out: no mkfs.xfs here, or this user may not mount");
    return;
  }
  const std::string bytes = random_bytes(kBytes, 4);
  os::append_to(disk.path() / "a", bytes);
  const std::uint64_t before = disk.used_bytes();
  CHECK(copied(disk.path() / "a", 100, 4196, kBytes - 200) ==
        std::string(4196, '\0') + bytes.substr(100, kBytes - 200));
  CHECK(disk.used_bytes() < before + kBytes / 10);
  // Places that do not lie alike in their blocks share nothing.
  CHECK(copied(disk.path() / "a", 100, 101, kBytes - 200) ==
        std::string(101, '\0') + bytes.substr(100, kBytes - 200));
  CHECK(disk.used_bytes() > before + kBytes / 2);
}

}  // namespace
}  // namespace mstune::agent
