#include "common/os/recorder.h"

#include <doctest/doctest.h>

#include "common/box_facts.h"
#include "common/os/file.h"
#include "tests/unit/common_os/scratch.h"

namespace mstune::os {
namespace {

namespace fs = std::filesystem;

constexpr Duration kAmple = std::chrono::minutes(1);
constexpr std::size_t kPiece = std::size_t{1} << 20U;  // what is read at a time
const std::string kText = "[GE_MS_TUNE][STEP] api=%s";

struct Toolkit {
  Scratch scratch;
  std::vector<std::string> search{(scratch.path() / "first").string(),
                                  (scratch.path() / "lib64").string()};

  Toolkit() {
    make_directory(scratch.path() / "first");
    make_directory(scratch.path() / "lib64");
  }
  void put(const std::string& file, const std::string& bytes) const {
    write_file_atomically(scratch.path() / file, bytes);
  }
};

TEST_CASE("recorder: its text in a library of GE's runtime is found, wherever it lies") {
  for (const std::size_t at : {std::size_t{0}, kPiece - 1, kPiece - 17, kPiece, 3 * kPiece - 9}) {
    CAPTURE(at);
    const Toolkit toolkit;
    toolkit.put("lib64/libdavinci_executor.so", std::string(at, 'x') + kText);
    CHECK(look_for_recorder(toolkit.search, kAmple) == kRecorderPresent);
  }
  const Toolkit toolkit;
  toolkit.put("lib64/libdavinci_executor.so", "x");
  toolkit.put("first/libge_executor.so", kText);
  CHECK(look_for_recorder(toolkit.search, kAmple) == kRecorderPresent);
}

TEST_CASE("recorder: libraries that were read to their ends without it have none") {
  const Toolkit toolkit;
  toolkit.put("lib64/libdavinci_executor.so",
              std::string(2 * kPiece, '[') + "[GE_MS_TUNE] Invalid");
  CHECK(look_for_recorder(toolkit.search, kAmple) == kRecorderAbsent);
  SUBCASE("only the one that would be loaded counts") {
    toolkit.put("first/libdavinci_executor.so", "x");
    toolkit.put("lib64/libdavinci_executor.so", kText);
    CHECK(look_for_recorder(toolkit.search, kAmple) == kRecorderAbsent);
  }
}

TEST_CASE("recorder: without such a library, or without the time, it is not known") {
  const Toolkit toolkit;
  CHECK(look_for_recorder(toolkit.search, kAmple).empty());
  CHECK(recorder_of({}).empty());
  toolkit.put("lib64/libdavinci_executor.so", kText);
  CHECK(look_for_recorder(toolkit.search, Duration::zero()).empty());
}

TEST_CASE("recorder: that of an environment is looked for in its toolkit, too") {
  const Toolkit toolkit;
  toolkit.put("lib64/libge_executor.so", kText);
  CHECK(recorder_of({{"ASCEND_HOME_PATH", toolkit.scratch.path().string()}}) == kRecorderPresent);
  CHECK(recorder_of({{"ASCEND_HOME_PATH", "/nonexistent"},
                     {"LD_LIBRARY_PATH", "/nonexistent:" + toolkit.search.back()}}) ==
        kRecorderPresent);
}

}  // namespace
}  // namespace mstune::os
