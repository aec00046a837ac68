// What one input may cost: more than 100 ms of this thread's time is a finding, as a crash is.
#pragma once

#include <ctime>

#include "tests/fuzz/check.h"

namespace mstune::fuzz {

class Stopwatch {
 public:
  Stopwatch() : begun_ms_(thread_ms()) {}
  ~Stopwatch() { check(thread_ms() - begun_ms_ < kMostMs); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
// Checked memory is some ten times as slow.
#if defined(__SANITIZE_ADDRESS__)
  static constexpr double kMostMs = 1000;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  static constexpr double kMostMs = 1000;
#else
  static constexpr double kMostMs = 100;
#endif
#else
  static constexpr double kMostMs = 100;
#endif

  static double thread_ms() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
  }

  double begun_ms_;
};

}  // namespace mstune::fuzz
