// The compile workers of atc: children that look like Python's.
#pragma once

#include <sys/types.h>

#include <vector>

namespace standin {

// Workers that wait for orders. They are ended by `stop`, and by nothing that happens to atc.bin:
// when it is killed they live on, each for its time at most, unless the whole process group is
// killed, as the compile workers of the real atc do.
class Workers {
 public:
  Workers(int count, int seconds_max);
  ~Workers() { stop(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void stop();

 private:
  int orders_ = -1;
  std::vector<pid_t> pids_;
};

// What a worker does, in a process of its own: waits for the order to end or for its time.
int work_as_worker(int orders, int seconds_max);

}  // namespace standin
