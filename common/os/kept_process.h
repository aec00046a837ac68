// Starts one program below a keeper of its own, and tells when it has ended and when nobody of all
// that it started is left.
//
// As Process otherwise: never through a shell, the program leads its own session and group, nothing
// here waits. When this process ends in whatever way, or the object goes, the keeper ends
// everybody.
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "common/os/descriptor.h"
#include "common/os/process.h"

namespace mstune::os {

// What it takes besides the program.
struct KeeperOptions {
  std::vector<int> held;  // locks that are held until nobody is left; at most 20
  int cgroup = -1;        // cgroup.procs of a cgroup that the program enters
};

class KeptProcess {
 public:
  // Errors as Process.
  explicit KeptProcess(const SpawnRequest& request, const KeeperOptions& options = {});
  // Whoever is left is killed by the keeper, which ends then; nobody waits for that.
  ~KeptProcess();
  KeptProcess(const KeptProcess&) = delete;
  KeptProcess& operator=(const KeptProcess&) = delete;

  // The program's, and its group's and session's; nobody else's until let_go() or kill_all().
  [[nodiscard]] pid_t id() const { return id_; }
  [[nodiscard]] pid_t keeper() const { return keeper_; }

  // Readable when there is news: call take_news() then. -1 once all is over.
  [[nodiscard]] int news() const { return control_.value(); }
  void take_news();

  // The read end of stdout and stderr, as Process has it.
  [[nodiscard]] int output() const { return output_.value(); }

  // As news were taken: how the program itself ended; whether nobody is left.
  [[nodiscard]] const std::optional<int>& status() const { return status_; }
  [[nodiscard]] bool is_over() const { return over_; }
  // True when somebody ended the keeper: its processes have come to this one, if it is a subreaper.
  [[nodiscard]] bool is_keeper_lost() const { return keeper_lost_; }

  // The keeper may give the program's id back, and ends as soon as nobody is left.
  void let_go();
  // It kills everybody, again and again until nobody is left.
  void kill_all();

 private:
  void order(char what);
  void start(const SpawnRequest& request, int output, const KeeperOptions& options);
  void take_end();

  pid_t id_ = -1;
  pid_t keeper_ = -1;
  UniqueFd control_;
  UniqueFd output_;
  std::optional<int> status_;
  bool over_ = false;
  bool keeper_lost_ = false;
};

}  // namespace mstune::os
