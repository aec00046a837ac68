#include "common/os/worker.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "common/os/descriptor.h"
#include "common/os/failure.h"

namespace mstune::os {
namespace {

struct Task {
  Worker::Job job;
  Worker::Failed failed;
};

Worker::Result refused(const Task& task, const std::string& why) {
  return [failed = task.failed,
          error = environment_error("worker.refused", "the system refused it: {}", why)] {
    failed(error);
  };
}

Worker::Result run(const Task& task) {
  try {
    return task.job();
  } catch (const Error& error) {
    return [failed = task.failed, error] { failed(error); };
  } catch (const std::system_error& error) {
    return refused(task, error.what());
  } catch (const std::bad_alloc& error) {
    return refused(task, error.what());
  }
}

UniqueFd make_event() {
  UniqueFd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event.valid()) {
    throw environment_error("worker.no_event", "cannot start the worker: {}", reason(errno));
  }
  return event;
}

}  // namespace

struct Worker::State {
  explicit State(std::size_t limit) : jobs_max(limit), event(make_event()) {}

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [this] { return stopping || !tasks.empty(); });
      if (stopping) {
        return;
      }
      const Task task = std::move(tasks.front());
      tasks.pop_front();
      lock.unlock();
      Result result = run(task);
      lock.lock();
      results.push_back(std::move(result));
      const std::uint64_t one = 1;
      // Cannot fail: the counter never gets near its limit, and a counter above 0 is enough.
      static_cast<void>(!::write(event.value(), &one, sizeof one));
    }
  }

  const std::size_t jobs_max;
  const UniqueFd event;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Task> tasks;
  std::deque<Result> results;
  bool stopping = false;
  std::size_t pending = 0;  // only the deciding thread looks at it
  std::thread thread;
};

Worker::Worker(std::size_t jobs_max) : state_(std::make_unique<State>(jobs_max)) {
  state_->thread = std::thread([state = state_.get()] { state->work(); });
}

Worker::~Worker() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->changed.notify_one();
  state_->thread.join();
}

bool Worker::submit(Job job, Failed failed) {
  if (state_->pending >= state_->jobs_max) {
    return false;
  }
  ++state_->pending;
  {
    const std::lock_guard lock(state_->mutex);
    state_->tasks.push_back({std::move(job), std::move(failed)});
  }
  state_->changed.notify_one();
  return true;
}

int Worker::descriptor() const {
  return state_->event.value();
}

void Worker::drain() {
  std::deque<Result> results;
  {
    const std::lock_guard lock(state_->mutex);
    std::uint64_t count = 0;
    static_cast<void>(!::read(state_->event.value(), &count, sizeof count));
    results.swap(state_->results);
  }
  while (!results.empty()) {
    const Result result = std::move(results.front());
    results.pop_front();
    --state_->pending;
    if (result) {
      result();
    }
  }
}

std::size_t Worker::pending() const {
  return state_->pending;
}

}  // namespace mstune::os
