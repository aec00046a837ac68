// One thread for work that takes long and decides nothing: hashing, copying, fsync of big files.
//
// A job runs on the worker and returns what is to be done with its result; that runs on the
// deciding thread, inside drain(). Jobs run one after the other, in their order, and so do the
// results. A job shares nothing with the deciding thread but what it was given.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "common/error.h"

namespace mstune::os {

class Worker {
 public:
  using Result = std::function<void()>;
  using Job = std::function<Result()>;
  using Failed = std::function<void(const Error&)>;

  // At most `jobs_max` wait or have a result waiting.
  explicit Worker(std::size_t jobs_max = 1024);

  // Ends the job that runs; those that wait, and results that wait, are dropped.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  Worker(Worker&&) = delete;
  Worker& operator=(Worker&&) = delete;

  // False when too many wait: try again after drain(). `failed` runs in drain() instead of the
  // result when the job threw an Error, or the system refused it memory or a descriptor; other
  // exceptions are bugs and end the program.
  [[nodiscard]] bool submit(Job job, Failed failed);

  // Readable when results wait.
  [[nodiscard]] int descriptor() const;

  // Runs the results that wait now. They may submit.
  void drain();

  // Jobs that were submitted and whose result has not run.
  [[nodiscard]] std::size_t pending() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mstune::os
