#include "tests/standin/common/ge_error.h"

#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <ctime>

namespace standin {

std::string error_block(const GeError& error) {
  timeval now{};
  gettimeofday(&now, nullptr);
  tm local{};
  localtime_r(&now.tv_sec, &local);
  std::array<char, 32> date{};
  std::strftime(date.data(), date.size(), "%Y-%m-%d-%H:%M:%S", &local);
  std::array<char, 96> head{};
  std::snprintf(head.data(), head.size(), "%s: [PID: %d] %s.%03d.%03d ", error.code().c_str(),
                getpid(), date.data(), static_cast<int>(now.tv_usec / 1000),
                static_cast<int>(now.tv_usec % 1000));
  return head.data() + std::string(error.what()) + "\n";
}

}  // namespace standin
