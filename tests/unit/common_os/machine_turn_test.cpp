#include "common/os/machine_turn.h"

#include <sys/stat.h>

#include <filesystem>

#include <doctest/doctest.h>

#include "tests/unit/common_os/scratch.h"

namespace mstune::os {
namespace {

TEST_CASE("machine turn: several may do the same, but never both things at once") {
  const Scratch scratch;
  MachineTurn measuring(Activity::measuring, scratch.path());
  MachineTurn also_measuring(Activity::measuring, scratch.path());
  MachineTurn moving(Activity::moving, scratch.path());
  MachineTurn also_moving(Activity::moving, scratch.path());
  CHECK(measuring.take());
  CHECK(measuring.take());
  CHECK(also_measuring.take());
  CHECK_FALSE(moving.take());
  measuring.release();
  CHECK_FALSE(moving.take());
  also_measuring.release();
  CHECK(moving.take());
  CHECK(also_moving.take());
  CHECK_FALSE(measuring.take());
  moving.release();
  CHECK_FALSE(measuring.take());
  also_moving.release();
  CHECK(measuring.take());
}

TEST_CASE("machine turn: nothing more is measured while somebody waits to move files") {
  const Scratch scratch;
  MachineTurn measuring(Activity::measuring, scratch.path());
  MachineTurn moving(Activity::moving, scratch.path());
  CHECK(measuring.take());
  CHECK_FALSE(measuring.others_wait());
  CHECK_FALSE(moving.take());
  CHECK(measuring.others_wait());
  CHECK_FALSE(measuring.take());
  CHECK(measuring.is_held());  // what runs is not given up by asking
  measuring.release();
  CHECK_FALSE(measuring.take());
  moving.withdraw();
  CHECK(measuring.take());
}

TEST_CASE("machine turn: who moves files hears that others wait, and goes on until it ends") {
  const Scratch scratch;
  MachineTurn measuring(Activity::measuring, scratch.path());
  MachineTurn moving(Activity::moving, scratch.path());
  CHECK(moving.take());
  CHECK_FALSE(moving.others_wait());
  CHECK_FALSE(measuring.take());
  CHECK(moving.others_wait());
  CHECK(moving.take());
  measuring.withdraw();
  CHECK_FALSE(moving.others_wait());
}

TEST_CASE("machine turn: who is gone has neither a turn nor a wish") {
  const Scratch scratch;
  MachineTurn measuring(Activity::measuring, scratch.path());
  {
    MachineTurn moving(Activity::moving, scratch.path());
    CHECK(moving.take());
    CHECK_FALSE(measuring.take());
  }
  CHECK(measuring.take());
  {
    MachineTurn moving(Activity::moving, scratch.path());
    CHECK_FALSE(moving.take());
  }
  CHECK(measuring.take());
}

TEST_CASE("machine turn: every user may read the file, and nobody may write it") {
  const Scratch scratch;
  const mode_t before = ::umask(0077);
  MachineTurn measuring(Activity::measuring, scratch.path());
  CHECK(measuring.take());
  ::umask(before);
  struct stat status {};
  REQUIRE(::stat((scratch / "mstune-turns").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0444U);
}

TEST_CASE("machine turn: a file that was tidied away is made anew, and met there by all") {
  const Scratch scratch;
  MachineTurn measuring(Activity::measuring, scratch.path());
  CHECK(measuring.take());
  std::filesystem::remove(scratch / "mstune-turns");
  MachineTurn moving(Activity::moving, scratch.path());
  CHECK(moving.take());  // nobody can tell it of the lock on the file that is gone
  CHECK_FALSE(measuring.take());
  moving.release();
  CHECK(measuring.take());
  CHECK_FALSE(moving.take());
}

TEST_CASE("machine turn: where there is no such file nobody waits") {
  const Scratch scratch;
  std::filesystem::create_symlink("elsewhere", scratch / "mstune-turns");
  for (const std::filesystem::path& directory : {scratch.path(), scratch / "missing"}) {
    MachineTurn measuring(Activity::measuring, directory);
    MachineTurn moving(Activity::moving, directory);
    CHECK(measuring.take());
    CHECK(moving.take());
    CHECK_FALSE(moving.others_wait());
    CHECK_FALSE(moving.works());
  }
  CHECK_FALSE(std::filesystem::exists(scratch / "elsewhere"));
}

}  // namespace
}  // namespace mstune::os
