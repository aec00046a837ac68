// Signals as something to poll, instead of handlers that interrupt whatever runs.
#pragma once

#include <csignal>
#include <initializer_list>
#include <optional>

#include "common/os/descriptor.h"

namespace mstune::os {

// Blocks the signals in this thread, and so in every thread that it starts afterwards: make it
// before any other thread. A program that is spawned gets them unblocked and at their defaults.
class SignalDescriptor {
 public:
  explicit SignalDescriptor(std::initializer_list<int> numbers = {SIGINT, SIGTERM, SIGCHLD});
  // Restores what was blocked before.
  ~SignalDescriptor();
  SignalDescriptor(const SignalDescriptor&) = delete;
  SignalDescriptor& operator=(const SignalDescriptor&) = delete;
  SignalDescriptor(SignalDescriptor&&) = delete;
  SignalDescriptor& operator=(SignalDescriptor&&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_.value(); }

  // The next signal that has come; nothing when none has. Several of one kind may come as one.
  std::optional<int> next();

 private:
  sigset_t before_{};
  UniqueFd descriptor_;
};

// Writing to a closed pipe or socket then fails with EPIPE instead of ending the program.
void ignore_broken_pipes();

}  // namespace mstune::os
