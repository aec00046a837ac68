#include "tests/standin/executor/timeline.h"

#include <algorithm>
#include <thread>

namespace standin {

SteadyTime Timeline::enqueue(std::chrono::nanoseconds work) {
  const std::lock_guard lock(mutex_);
  busy_until_ = std::max(busy_until_, std::chrono::steady_clock::now()) + work;
  return busy_until_;
}

SteadyTime Timeline::done_at() const {
  const std::lock_guard lock(mutex_);
  return busy_until_;
}

void wait_until(SteadyTime when) {
  // A sleep returns some 60 µs late; on a busy machine later still, as a real host thread would.
  constexpr std::chrono::microseconds kSpin{120};
  if (when - std::chrono::steady_clock::now() > kSpin) {
    std::this_thread::sleep_until(when - kSpin);
  }
  while (std::chrono::steady_clock::now() < when) {
  }
}

}  // namespace standin
