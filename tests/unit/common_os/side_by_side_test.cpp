#include "common/os/side_by_side.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "common/error.h"
#include "tests/unit/error_id.h"

namespace mstune::os {
namespace {

TEST_CASE("side by side: every part is done once, each on a thread of its own") {
  for (const std::size_t threads : {1U, 2U, 7U}) {
    std::vector<std::thread::id> done_by(threads);
    std::atomic<std::size_t> begun = 0;
    side_by_side(threads, [&](std::size_t part) {
      done_by[part] = std::this_thread::get_id();
      ++begun;
      while (begun < threads) {  // nobody ends before all have begun
        std::this_thread::yield();
      }
    });
    CHECK(begun == threads);
    CHECK(std::set(done_by.begin(), done_by.end()).size() == threads);
    CHECK(done_by.front() == std::this_thread::get_id());
  }
}

TEST_CASE("side by side: an error of any part is thrown when the others have ended") {
  for (const std::size_t failing : {0U, 1U, 2U}) {
    std::atomic<int> ended = 0;
    CHECK(error_id([&] {
            side_by_side(3, [&](std::size_t part) {
              if (part == failing) {
                throw environment_error("test.failed", "part {}", part);
              }
              ++ended;
            });
          }) == "test.failed");
    CHECK(ended == 2);
  }
}

TEST_CASE("side by side: no more threads than processors, nor than wanted") {
  CHECK(threads_for(0) == 1);
  CHECK(threads_for(1) == 1);
  CHECK(threads_for(1'000'000) == std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace
}  // namespace mstune::os
