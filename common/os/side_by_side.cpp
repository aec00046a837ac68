#include "common/os/side_by_side.h"

#include <algorithm>
#include <future>
#include <system_error>
#include <thread>
#include <vector>

namespace mstune::os {

std::size_t threads_for(std::size_t most) {
  return std::max<std::size_t>(1, std::min<std::size_t>(most, std::thread::hardware_concurrency()));
}

void side_by_side(std::size_t threads, const std::function<void(std::size_t)>& work) {
  std::vector<std::future<void>> others;
  for (std::size_t thread = 1; thread < threads; ++thread) {
    try {
      others.push_back(std::async(std::launch::async, work, thread));
    } catch (const std::system_error&) {
      others.push_back(std::async(std::launch::deferred, work, thread));
    }
  }
  work(0);
  for (std::future<void>& other : others) {
    other.get();
  }
}

}  // namespace mstune::os
