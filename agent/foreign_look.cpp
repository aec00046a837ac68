#include "agent/foreign_look.h"

#include <string>
#include <utility>

#include "common/error.h"

namespace mstune::agent {
namespace {

// Between two trials nobody should wait long.
constexpr Duration kTableMax = std::chrono::seconds(5);
constexpr Duration kAgainAfter = std::chrono::seconds(1);

}  // namespace

ForeignLook::ForeignLook(ForeignCheck check, TimePoint now) : check_(std::move(check)) {
  if (!check_.devices.empty()) {
    begin(now);
  }
}

void ForeignLook::begin(TimePoint now) {
  again_at_ = kNever;
  try {
    run_.emplace(std::vector<std::string>{"info"}, check_.environment, now, kTableMax);
  } catch (const Error&) {
    run_.reset();
  }
}

bool ForeignLook::step(TimePoint now) {
  if (now >= again_at_) {
    begin(now);
  }
  if (!run_) {
    return again_at_ == kNever;
  }
  if (!run_->step(now)) {
    return false;
  }
  const auto users = run_->status() == 0 ? parse_users(run_->output()) : std::nullopt;
  run_.reset();
  const auto found = users ? newcomers({check_.devices, check_.chips, check_.context_memory_mb},
                                       check_.before, *users)
                           : std::vector<DeviceUser>();
  if (found.empty()) {
    return true;
  }
  if (!is_second_) {
    is_second_ = true;
    again_at_ = after(now, kAgainAfter);
    return false;
  }
  finding_ = message("trial.foreign_process",
                     "somebody else came onto its device while it ran: {}; what it measured is "
                     "not the program's own",
                     users_text(found));
  return true;
}

std::vector<int> ForeignLook::descriptors() const {
  return run_ ? run_->descriptors() : std::vector<int>();
}

TimePoint ForeignLook::deadline() const {
  return run_ ? run_->deadline() : again_at_;
}

}  // namespace mstune::agent
