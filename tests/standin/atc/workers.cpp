#include "tests/standin/atc/workers.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

namespace standin {

Workers::Workers(int count, int seconds_max) {
  int ends[2] = {-1, -1};
  if (count <= 0 || pipe2(ends, 0) != 0) {
    return;
  }
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  orders_ = ends[1];
  const std::string orders = std::to_string(ends[0]);
  const std::string seconds = std::to_string(seconds_max);
  for (int i = 0; i < count; ++i) {
    const pid_t pid = fork();
    if (pid == 0) {
      execl("/proc/self/exe", "python3", "--te-worker", orders.c_str(), seconds.c_str(), nullptr);
      _exit(127);
    }
    if (pid > 0) {
      pids_.push_back(pid);
    }
  }
  close(ends[0]);
}

void Workers::stop() {
  const std::string enough(pids_.size(), 'q');
  if (!pids_.empty() && write(orders_, enough.data(), enough.size()) < 0) {
    pids_.clear();  // they are gone already
  }
  for (const pid_t pid : pids_) {
    waitpid(pid, nullptr, 0);
  }
  pids_.clear();
  if (orders_ >= 0) {
    close(orders_);
    orders_ = -1;
  }
}

int work_as_worker(int orders, int seconds_max) {
  prctl(PR_SET_NAME, "python3");
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds_max);
  pollfd wait{orders, POLLIN, 0};
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0 || poll(&wait, 1, static_cast<int>(left.count())) <= 0) {
      return 0;
    }
    char order = 0;
    if ((wait.revents & POLLIN) != 0 && read(orders, &order, 1) == 1) {
      return 0;
    }
    // The pipe was closed without an order: its writer was killed. A worker does not notice.
    std::this_thread::sleep_until(deadline);
  }
}

}  // namespace standin
