// Signals as something to poll, instead of handlers that interrupt whatever runs.
#pragma once

#include <csignal>
#include <initializer_list>
#include <optional>

#include "common/os/descriptor.h"

namespace mstune::os {

// Blocks the signals in this thread, and so in every thread that it starts afterwards: make it
// before any other thread. A program that is spawned gets them unblocked and at their defaults.
// One that this program was told to ignore (nohup, a job in the background) stays ignored: blocked,
// it would be delivered all the same.
class SignalDescriptor {
 public:
  explicit SignalDescriptor(std::initializer_list<int> numbers = {SIGINT, SIGTERM, SIGHUP,
                                                                  SIGCHLD});
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

// From now on SIGINT, SIGTERM and SIGHUP wait until a SignalDescriptor is read, so that none ends
// this program between two steps that belong together. Those that are ignored stay ignored. For the
// first line of a program.
void hold_ending_signals();
// They end this program again, and one that has come meanwhile does so at once: for work that
// leaves nothing behind when it ends in the middle.
void let_ending_signals_through();

// Writing to a closed pipe or socket then fails with EPIPE instead of ending the program.
void ignore_broken_pipes();

}  // namespace mstune::os
