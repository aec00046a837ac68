// The fork and exec behind Process and KeptProcess. Only they need it.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>

#include "common/error.h"
#include "common/os/process.h"

namespace mstune::os {

// Everything that a fork needs to become a program, made before it: in a program with threads the
// child may not allocate.
class Launch {
 public:
  struct Plan;
  enum class Stage : int { session, parent, descriptors, directory, program };
  // What the child tells through the pipe that exec closes.
  struct Report {
    Stage stage = Stage::session;
    int error_number = 0;
  };

  // `request` must outlive it. `output` becomes stdout and stderr; `cgroup`, where it is one, is
  // the cgroup.procs of the cgroup that the program enters.
  Launch(const SpawnRequest& request, int output, int cgroup = -1);
  ~Launch();
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  // Between fork and exec.
  [[noreturn]] void become_program() const;

  // In the process that made it, after the fork: returns once exec has succeeded, or why it has
  // not, with one of the errors that Process documents.
  std::optional<Error> wait_for_program();
  [[nodiscard]] Error fork_error(int error_number) const;

 private:
  const SpawnRequest& request_;
  UniqueFd input_;
  Pipe report_;
  std::unique_ptr<Plan> plan_;
};

// For a program's stdout and stderr: large, and the end that is read does not block.
Pipe make_output_pipe();

// With every signal blocked in the child, so that no handler of ours can run there before it has
// reset them. As fork() otherwise.
pid_t fork_with_signals_blocked();

// Waits for a child that ends by itself at once.
void reap_failed(pid_t id);

// Starts the program with `output` as its stdout and stderr and returns its id once exec has
// succeeded. Throws the errors that Process documents; then nothing is left to reap.
pid_t start_program(const SpawnRequest& request, int output);

}  // namespace mstune::os
