#include "common/os/worker.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "common/os/descriptor.h"

namespace mstune::os {
namespace {

constexpr auto kSoon = std::chrono::seconds(20);

void fail_on(const Error& error) {
  FAIL(error.what());
}

void drain_all(Worker& worker) {
  while (worker.pending() > 0) {
    REQUIRE(wait_readable(worker.descriptor(), kSoon));
    worker.drain();
  }
}

TEST_CASE("worker: jobs run elsewhere and their results here, in order") {
  Worker worker;
  const auto here = std::this_thread::get_id();
  std::vector<int> order;
  for (int number = 0; number < 100; ++number) {
    REQUIRE(worker.submit(
        [&order, number, here]() -> Worker::Result {
          const bool elsewhere = std::this_thread::get_id() != here;
          return [&order, number, here, elsewhere] {
            CHECK(elsewhere);
            CHECK(std::this_thread::get_id() == here);
            order.push_back(number);
          };
        },
        fail_on));
  }
  drain_all(worker);
  REQUIRE(order.size() == 100);
  for (int number = 0; number < 100; ++number) {
    CHECK(order[static_cast<std::size_t>(number)] == number);
  }
}

TEST_CASE("worker: an error of a job comes back here") {
  Worker worker;
  std::string id;
  REQUIRE(worker.submit(
      []() -> Worker::Result { throw environment_error("disk.full", "the disk is full"); },
      [&id](const Error& error) { id = error.message().id; }));
  drain_all(worker);
  CHECK(id == "disk.full");
}

TEST_CASE("worker: it takes no more than its limit until results were run") {
  Worker worker(2);
  const auto nothing = []() -> Worker::Result { return {}; };
  CHECK(worker.submit(nothing, fail_on));
  CHECK(worker.submit(nothing, fail_on));
  CHECK_FALSE(worker.submit(nothing, fail_on));
  drain_all(worker);
  CHECK(worker.submit(nothing, fail_on));
  drain_all(worker);
}

TEST_CASE("worker: a result may submit the next job") {
  Worker worker(1);
  int runs = 0;
  std::function<void()> again = [&] {
    if (++runs < 3) {
      CHECK(worker.submit([&]() -> Worker::Result { return again; }, fail_on));
    }
  };
  REQUIRE(worker.submit([&]() -> Worker::Result { return again; }, fail_on));
  drain_all(worker);
  CHECK(runs == 3);
}

TEST_CASE("worker: its end lets the running job finish and drops those that wait") {
  std::atomic<int> started = 0;
  std::atomic<bool> go = false;
  std::atomic<bool> finished = false;
  {
    Worker worker;
    const auto job = [&]() -> Worker::Result {
      ++started;
      started.notify_all();
      go.wait(false);
      finished = true;
      return [] { FAIL("a result after the end"); };
    };
    REQUIRE(worker.submit(job, fail_on));
    started.wait(0);
    REQUIRE(worker.submit(job, fail_on));
    go = true;
    go.notify_all();
    // The second job may or may not begin before the end is seen; neither result may run.
  }
  CHECK(finished);
}

}  // namespace
}  // namespace mstune::os
