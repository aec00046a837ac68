#include "common/os/orphan_guard.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include <doctest/doctest.h>

#include "common/os/file.h"
#include "tests/unit/common_os/scratch.h"

namespace mstune::os {
namespace {

void make_file(const std::filesystem::path& path) {
  ::close(::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
}

bool eventually_there(const std::filesystem::path& path) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!std::filesystem::exists(path) && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return std::filesystem::exists(path);
}

TEST_CASE("orphan guard: it acts when the process that it guards is killed") {
  const Scratch scratch;
  const pid_t id = ::fork();
  if (id == 0) {
    const OrphanGuard guard([&] { make_file(scratch / "acted"); });
    make_file(scratch / "ready");
    ::pause();
    ::_exit(0);
  }
  CHECK(eventually_there(scratch / "ready"));
  CHECK_FALSE(std::filesystem::exists(scratch / "acted"));
  ::kill(id, SIGKILL);
  ::waitpid(id, nullptr, 0);
  CHECK(eventually_there(scratch / "acted"));
}

TEST_CASE("orphan guard: it acts when nobody dismisses it, and does not when it was dismissed") {
  const Scratch scratch;
  {
    const OrphanGuard guard([&] { make_file(scratch / "acted"); });
  }
  CHECK(eventually_there(scratch / "acted"));
  OrphanGuard guard([&] { make_file(scratch / "dismissed"); });
  guard.dismiss();  // it has ended by then
  CHECK_FALSE(std::filesystem::exists(scratch / "dismissed"));
  guard.dismiss();
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

TEST_CASE("orphan guard: it keeps nothing of its process open") {
  const Scratch scratch;
  int ends[2] = {};
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const UniqueFd read(ends[0]);
  UniqueFd write(ends[1]);
  OrphanGuard guard([] {});
  write.reset();
  char byte = 0;
  CHECK(::read(read.value(), &byte, 1) == 0);  // the end, though the guard is there
  guard.dismiss();
}

}  // namespace
}  // namespace mstune::os
