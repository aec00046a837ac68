#include "agent/plog_limit.h"

#include <sys/stat.h>

#include <chrono>
#include <string>

#include <doctest/doctest.h>

#include "common/os/file.h"
#include "tests/unit/common_os/scratch.h"

namespace mstune::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

std::uint64_t on_disk(const fs::path& path) {
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  return static_cast<std::uint64_t>(info.st_blocks) * 512;
}

// A file that was last written so many hours ago.
fs::path write(const fs::path& path, std::uint64_t size, int hours_ago) {
  os::AppendFile(path).append(std::string(size, 'x'));
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(hours_ago));
  return path;
}

PlogLimit::ReadUpTo everything() {
  return [](const fs::path& path) { return fs::file_size(path); };
}

TEST_CASE("plog limit: what fits is left alone") {
  const os::Scratch scratch;
  const fs::path file = write(scratch / "a", kMiB, 1);
  PlogLimit limit(scratch.path(), kMiB + 8192);
  limit.apply(everything());
  CHECK(limit.dropped_bytes() == 0);
  CHECK(on_disk(file) >= kMiB);
}

TEST_CASE("plog limit: the oldest text goes, and the end of the newest stays") {
  const os::Scratch scratch;
  fs::create_directories(scratch / "run/plog");
  const fs::path older = write(scratch / "run/plog/older", kMiB, 2);
  const fs::path newer = write(scratch / "run/plog/newer", 4 * kMiB, 1);
  PlogLimit limit(scratch.path(), 2 * kMiB);
  limit.apply(everything());
  CHECK(on_disk(older) == 0);
  CHECK(fs::file_size(older) == kMiB);  // its writer may go on
  CHECK(on_disk(newer) <= 2 * kMiB);
  CHECK(limit.begin_of(older) == kMiB);
  CHECK(limit.begin_of(newer) + 2 * kMiB >= 4 * kMiB);
  CHECK(limit.begin_of(newer) + kMiB <= 4 * kMiB);
  CHECK(limit.dropped_bytes() == limit.begin_of(older) + limit.begin_of(newer));
  CHECK(limit.begin_of(scratch / "no such file") == 0);
}

TEST_CASE("plog limit: text that was not read is kept, however much there is") {
  const os::Scratch scratch;
  const fs::path file = write(scratch / "a", 4 * kMiB, 1);
  PlogLimit limit(scratch.path(), kMiB);
  limit.apply([](const fs::path&) { return kMiB + 100; });
  CHECK(limit.begin_of(file) == kMiB);
  limit.apply([](const fs::path&) { return kMiB + 100; });
  CHECK(limit.dropped_bytes() == kMiB);
}

}  // namespace
}  // namespace mstune::agent
