#include "common/os/kept_ending.h"

#include <algorithm>
#include <csignal>

#include "common/os/process_table.h"
#include "common/os/process_tree.h"

namespace mstune::os {
namespace {

// The keeper ends at once where nobody is left; this is for a machine that has other things to do.
constexpr Duration kUnseenAfter = std::chrono::milliseconds(500);
constexpr Duration kLookEvery = std::chrono::milliseconds(20);

void drop_zombies(std::vector<ProcessInfo>& processes) {
  std::erase_if(processes, [](const ProcessInfo& process) {
    return process.state == 'Z' || process.state == 'X';
  });
}

// With the keeper gone its processes are this one's, and so are theirs.
std::vector<ProcessInfo> look_at_strays() {
  std::vector<ProcessInfo> found = find_strays();
  const std::size_t strays = found.size();
  for (std::size_t i = 0; i < strays; ++i) {
    auto below = list_below(found[i].key.id);
    if (below) {
      found.insert(found.end(), below->begin(), below->end());
    }
  }
  return found;
}

}  // namespace

ProcessKey KeptEnder::keeper() const {
  ProcessInfo info;
  return look_up(process_.keeper(), info) ? info.key : ProcessKey{process_.keeper(), 0};
}

std::optional<std::vector<ProcessInfo>> KeptEnder::look() const {
  auto found = process_.is_keeper_lost() ? look_at_strays() : list_below(process_.keeper());
  if (found) {
    drop_zombies(*found);
  }
  return found;
}

bool KeptEnder::is_over() const {
  return process_.is_over() && (cgroup_ == nullptr || cgroup_->is_empty());
}

EndingState KeptEnder::step(TimePoint now) {
  process_.take_news();
  if (is_over() && !process_.is_keeper_lost()) {
    left_.clear();
    deadline_ = kNever;
    return EndingState::gone;
  }
  const auto found = look();
  left_ = found.value_or(std::vector<ProcessInfo>());
  if (!looked_ && process_.status()) {
    left_behind_ = left_;
  }
  looked_ = true;
  if (!left_.empty()) {
    let_go_.reset();
    return signal(left_, now);
  }
  if (is_over()) {
    deadline_ = kNever;
    return EndingState::gone;
  }
  if (!found && !term_sent_) {
    ::kill(-process_.id(), SIGTERM);
    term_sent_ = true;
  }
  if (!let_go_ && (found || process_.status())) {
    process_.let_go();
    let_go_ = now;
    deadline_ = after(now, kLookEvery);
    return EndingState::going_on;
  }
  if (let_go_ && now < after(*let_go_, kUnseenAfter)) {
    deadline_ = after(now, kLookEvery);
    return EndingState::going_on;
  }
  return end_unseen(now);
}

// Somebody is there who cannot be seen: only the keeper can reach them.
EndingState KeptEnder::end_unseen(TimePoint now) {
  return signal({ProcessInfo{}}, now);
}

EndingState KeptEnder::signal(const std::vector<ProcessInfo>& alive, TimePoint now) {
  const EndingStep step = ending_.handle(alive, now);
  deadline_ = ending_.deadline();
  for (const ProcessKey& target : step.targets) {
    if (target.id > 0 && step.signal != 0) {
      signal_process(target, step.signal);
    }
  }
  if (step.signal == SIGKILL) {
    process_.kill_all();
    if (cgroup_ != nullptr) {
      cgroup_->kill();
    }
  }
  return step.state;
}

}  // namespace mstune::os
