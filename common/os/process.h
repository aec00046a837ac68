// Starts one program and tells how it ended. Never through a shell.
//
// The program leads its own session and process group. All of this belongs to one thread, which
// must outlive the program (the kernel ties "dies with its parent" to the thread that started it).
// Whoever calls polls `exit_descriptor` and `output`; nothing here waits. What the program itself
// started is the business of process_tree.h.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/message.h"
#include "common/os/descriptor.h"
#include "common/time.h"

namespace mstune::os {

struct SpawnRequest {
  // Program and arguments, at least one. A program without '/' is looked up in the PATH of
  // `environment`; a relative path begins at `working_directory`.
  std::vector<std::string> command;
  // Executed instead of looking the program up, which is then only the name that it is told. For
  // whoever judged a file (resolve_program): what is executed is that file, whatever links say now.
  std::filesystem::path executable;
  std::vector<std::string> environment;     // "NAME=value", all of it
  std::filesystem::path working_directory;  // empty: that of this process
  // Descriptor for stdout and stderr, still owned by the caller. None: a pipe is made for both.
  std::optional<int> output;
  bool dies_with_parent = false;  // SIGKILL when the calling thread ends, however it ends
};

// The file that would be run: absolute and without links; empty when none could be.
std::filesystem::path resolve_program(const SpawnRequest& request);

struct Exit {
  int status = 0;  // exit status, or the negative number of the signal that ended it
  // The program and those of its children that it waited for.
  std::chrono::microseconds user_time{};
  std::chrono::microseconds system_time{};
  long peak_memory_kib = 0;

  friend bool operator==(const Exit&, const Exit&) = default;
};

class Process {
 public:
  // Starts the program and returns when it runs. Throws an Error that names the program and what
  // to do: "process.not_found", "process.not_in_path", "process.not_executable",
  // "process.unknown_format", "process.no_working_directory", "process.cannot_start".
  explicit Process(const SpawnRequest& request);

  // One that was not reaped is killed with its group.
  ~Process();
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Also the id of its group and of its session. Nobody else gets it before reap().
  [[nodiscard]] pid_t id() const { return id_; }

  // Readable from the moment the program has ended. Not valid (-1) on kernels before 5.3: there
  // look at has_exited() at each SIGCHLD.
  [[nodiscard]] int exit_descriptor() const { return exit_descriptor_.value(); }

  // The read end of stdout and stderr, non-blocking; -1 with an `output` of the caller's. Its end
  // may come long after the exit: whoever inherited the other end keeps it open.
  [[nodiscard]] int output() const { return output_.value(); }

  // True when it has ended. It stays a zombie, so that its id and its group's stay taken.
  [[nodiscard]] bool has_exited() const;

  // To the whole group; does nothing once reaped.
  void signal_group(int number) const;

  // Once has_exited(): kills what is left of the group, then gives the id back to the system.
  // The same answer when asked again; nothing while the program runs.
  std::optional<Exit> reap();

 private:
  pid_t id_ = -1;
  UniqueFd exit_descriptor_;
  UniqueFd output_;
  std::optional<Exit> exit_;
};

// True for a child that a Process object has still to reap: nobody else may wait for it.
bool is_awaited(pid_t id);

// "killed by SIGKILL", "exit status 3": for people.
Message exit_text(int status);

}  // namespace mstune::os
