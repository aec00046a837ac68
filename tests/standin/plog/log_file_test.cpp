#include "tests/standin/plog/log_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

#include "tests/standin/plog/test_support.h"

namespace standin::plog {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kNowUs = 1'700'000'000'000'000;

std::size_t count(const fs::path& directory) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

TEST_CASE("log file: a chunk that just fits stays in the file, one byte more begins a new one") {
  const test::TemporaryDirectory base;
  const fs::path directory = base.path() / "plog";
  LogFile file(directory.string(), 7, 10);
  const std::string half(static_cast<std::size_t>(LogFile::kBytesMax / 2), 'x');
  CHECK(file.append(half, kNowUs).whole);
  CHECK(file.append(half, kNowUs).whole);
  CHECK(count(directory) == 1);
  CHECK(file.append("x", kNowUs).whole);
  CHECK(count(directory) == 2);
}

TEST_CASE("log file: two files of the same millisecond have names in the order of time") {
  const test::TemporaryDirectory base;
  const fs::path directory = base.path() / "plog";
  LogFile file(directory.string(), 7, 10);
  file.append(std::string(static_cast<std::size_t>(LogFile::kBytesMax), 'x'), kNowUs);
  file.append("second", kNowUs);
  fs::path newest;
  for (const auto& entry : fs::directory_iterator(directory)) {
    newest = std::max(newest, entry.path());
  }
  CHECK(test::content(newest) == "second");
}

TEST_CASE("log file: a limit of one file keeps the newest only") {
  const test::TemporaryDirectory base;
  const fs::path directory = base.path() / "plog";
  LogFile file(directory.string(), 7, 1);
  file.append(std::string(static_cast<std::size_t>(LogFile::kBytesMax), 'x'), kNowUs);
  file.append("second", kNowUs);
  REQUIRE(count(directory) == 1);
  CHECK(test::content(fs::directory_iterator(directory)->path()) == "second");
}

TEST_CASE("log file: nothing is written below what is no directory") {
  const test::TemporaryDirectory base;
  std::ofstream(base.path() / "file") << "mine";
  LogFile file((base.path() / "file/plog").string(), 7, 10);
  CHECK_FALSE(file.append("x", kNowUs).opened);
}

}  // namespace
}  // namespace standin::plog
