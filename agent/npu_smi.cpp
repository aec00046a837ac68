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
  due_ = kNever;
}

void UsageLooks::begin(TimePoint now) {
  due_ = kNever;
  try {
    run_.emplace(std::vector<std::string>{"info"}, environment_, now);
  } catch (const Error&) {
    last_ = UsageLook{now, now, std::nullopt};
  }
}

void UsageLooks::step(TimePoint now) {
  if (now >= due_) {
    begin(now);
  }
  if (!run_ || !run_->step(now)) {
    return;
  }
  UsageLook look{run_->begun(), now, std::nullopt};
  if (run_->status() == 0) {
    look.users = parse_users(run_->output());
  }
  last_ = std::move(look);
  run_.reset();
}

std::vector<int> UsageLooks::descriptors() const {
  return run_ ? run_->descriptors() : std::vector<int>();
}

TimePoint UsageLooks::deadline() const {
  return run_ ? run_->deadline() : due_;
}

}  // namespace mstune::agent
