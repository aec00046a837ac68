// What a stream of the runtime still has to do: work is put on it, and a synchronisation waits.
#pragma once

#include <chrono>
#include <mutex>

namespace standin {

using SteadyTime = std::chrono::steady_clock::time_point;

class Timeline {
 public:
  // Adds work behind what is there; returns when it will be done.
  SteadyTime enqueue(std::chrono::nanoseconds work);

  [[nodiscard]] SteadyTime done_at() const;

 private:
  mutable std::mutex mutex_;
  SteadyTime busy_until_{};
};

// Returns at the time, to a few microseconds: sleeps most of the way and spins the rest.
void wait_until(SteadyTime when);

}  // namespace standin
