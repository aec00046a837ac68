#include "agent/npu_smi.h"

#include <utility>

#include "common/error.h"
#include "common/os/clock.h"
#include "common/os/process.h"

namespace mstune::agent {
namespace {

constexpr Duration kOutputPeriod = std::chrono::milliseconds(50);

// Its output; an environment error when it is not there, fails, or takes too long.
std::string output_of(const std::vector<std::string>& arguments, const Environment& environment) {
  NpuSmiRun run(arguments, environment, os::steady_now());
  while (!run.step(os::steady_now())) {
    os::wait_readable(run.descriptors().front(), kOutputPeriod);
  }
  if (!run.status()) {
    throw environment_error(
        "agent.npu_smi_slow", "npu-smi did not answer within {}",
        duration_text(std::chrono::duration<double>(NpuSmiRun::kAnswerMax).count()));
  }
  if (*run.status() != 0) {
    throw environment_error("agent.npu_smi_failed", "npu-smi failed ({}): {}",
                            os::exit_text(*run.status()), run.output().substr(0, 200));
  }
  return run.output();
}

}  // namespace

ChipFacts look_at_chips(const Environment& environment) {
  ChipFacts facts;
  try {
    facts.chips = parse_chip_map(output_of({"info", "-m"}, environment));
    facts.driver_version = parse_driver_version(output_of({"info"}, environment));
  } catch (const Error& error) {
    facts.unknown = error.message();
  }
  return facts;
}

void UsageLooks::ask(TimePoint when) {
  if (!run_) {
    due_ = std::min(due_, when);
  }
}

void UsageLooks::cancel() {
  run_.reset();
  look_.reset();
  to_read_.clear();
  due_ = kNever;
}

void UsageLooks::begin(TimePoint now) {
  due_ = kNever;
  try {
    run_.emplace(std::vector<std::string>{"info"}, environment_, now);
  } catch (const Error&) {
    last_ = UsageLook{now, now, std::nullopt, {}};
  }
}

void UsageLooks::step(TimePoint now) {
  if (now >= due_) {
    begin(now);
  }
  while (run_ && run_->step(now)) {
    take(now);
  }
}

// What the run that is over has seen.
void UsageLooks::take(TimePoint now) {
  const bool succeeded = run_->status() == 0;
  if (!look_) {
    look_ = UsageLook{run_->begun(), now, std::nullopt, {}};
    look_->users = succeeded ? parse_users(run_->output()) : std::nullopt;
    std::set<ChipPlace> places;
    for (const DeviceUser& user : look_->users.value_or(std::vector<DeviceUser>())) {
      if (watched_.contains(user.place) && user.memory_mb != std::uint64_t{0} &&
          may_work(user, context_memory_mb_)) {
        places.insert(user.place);
      }
    }
    to_read_.assign(places.begin(), places.end());
  } else {
    if (const auto usage = succeeded ? parse_core_usage(run_->output()) : std::nullopt) {
      look_->core_usage[to_read_.back()] = *usage;
    }
    to_read_.pop_back();
  }
  begin_next_usage(now);
  if (!run_) {
    look_->ended = now;
    last_ = std::exchange(look_, std::nullopt);
  }
}

void UsageLooks::begin_next_usage(TimePoint now) {
  run_.reset();
  if (to_read_.empty()) {
    return;
  }
  const ChipPlace& place = to_read_.back();
  try {
    run_.emplace(std::vector<std::string>{"info", "-t", "usages", "-i", std::to_string(place.card),
                                          "-c", std::to_string(place.chip)},
                 environment_, now);
  } catch (const Error&) {
    to_read_.clear();
  }
}

std::vector<int> UsageLooks::descriptors() const {
  return run_ ? run_->descriptors() : std::vector<int>();
}

TimePoint UsageLooks::deadline() const {
  return run_ ? run_->deadline() : due_;
}

}  // namespace mstune::agent
