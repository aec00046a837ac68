// How long the dispatcher waits for the end of an attempt whose agent answers.
//
// The agent ends a run at its own limit; one that does not, or cannot say so, must not hold the
// campaign.
#include <algorithm>

#include "coordinator/dispatcher.h"

namespace mstune::coordinator {
namespace {

// From the end of a run's time to the agent's word that nothing of it is left: SIGTERM, SIGKILL,
// and reading what was written.
constexpr Duration kEndingMax = std::chrono::seconds(30);

}  // namespace

void Dispatcher::on(const AttemptSeen& event, TimePoint now) {
  if (!is_current(event.attempt)) {
    return;
  }
  const std::uint32_t trial = event.attempt.trial;
  TrialProgress& progress = trials_[trial];
  repeat_after(progress, kUnheardMax, now);
  if (progress.state == TrialState::assigned) {
    progress.state = TrialState::seen;
  }
  const bool begins = !event.is_queued && !progress.runs;
  progress.runs = progress.runs || begins;
  // Where an attempt's end was never told, what waits there may wait for that one.
  const bool waits = event.is_queued && devices_[*blocks_[progress.block].device].overdue == 0;
  const bool without_limit =
      settings_.trial_timeout == Duration::zero() || progress.state == TrialState::collecting;
  if (begins || waits || (without_limit && progress.runs && event.has_changed)) {
    expect_end(trial, now);
  }
  if (interrupted_ && progress.state == TrialState::seen) {
    actions_.emplace_back(CancelAttempt{event.attempt});  // the first one did not arrive
  }
}

Duration Dispatcher::run_limit() const {
  return settings_.trial_timeout + kEndingMax + settings_.reconnect_grace;
}

// The run's own limit holds from its beginning to its end; what comes before and after has to move.
void Dispatcher::expect_end(std::uint32_t trial, TimePoint now) {
  TrialProgress& progress = trials_[trial];
  const bool was_overdue = devices_[*blocks_[progress.block].device].overdue > 0;
  const bool is_limited = settings_.trial_timeout > Duration::zero() &&
                          progress.state != TrialState::collecting &&
                          (progress.runs || was_overdue);
  if (is_limited) {
    progress.overdue = after(now, run_limit());
  } else {
    progress.overdue =
        settings_.stall_timeout == Duration::zero() ? kNever : after(now, settings_.stall_timeout);
  }
}

// What its trials became while it was away is told at once.
void Dispatcher::expect_end_anew(std::size_t agent, TimePoint now) {
  for (const Device& device : devices_) {
    if (device.where.agent == agent && device.trial) {
      TimePoint& overdue = trials_[*device.trial].overdue;
      overdue = std::max(overdue, after(now, kEndingMax));
    }
  }
}

// kNever while nothing runs there, or its agent does not answer: that has a limit of its own.
TimePoint Dispatcher::overdue_at(std::size_t at) const {
  const Device& device = devices_[at];
  const bool counts =
      device.trial && !interrupted_ && agents_[device.where.agent].state == AgentState::ready;
  return counts ? trials_[*device.trial].overdue : kNever;
}

// Others may take its round; the agent ends what runs there when it can.
void Dispatcher::lose_overdue(std::size_t at, TimePoint now) {
  if (now < overdue_at(at)) {
    return;
  }
  const std::uint32_t trial = *devices_[at].trial;
  const TrialProgress& progress = trials_[trial];
  const bool at_limit = settings_.trial_timeout > Duration::zero() && progress.runs &&
                        progress.state != TrialState::collecting;
  const Duration waited = at_limit ? run_limit() : settings_.stall_timeout;
  const Message why = message(
      "trial.no_end",
      "the agent answers, and told nothing of this trial's end for {} ({}; attempt {} of {})",
      duration_text(std::chrono::duration<double>(waited).count()),
      at_limit ? message("trial.no_end_timeout", "--timeout and the time to end it")
               : message("trial.no_end_stall", "--stall-timeout"),
      progress.attempts_before + progress.losses + 1,
      progress.attempts_before + settings_.attempts_max);
  actions_.emplace_back(CancelAttempt{current(trial)});
  last_trouble_ = why;
  Block& block = blocks_[progress.block];
  lose(trial, "agent_lost", why);
  block.avoid = at;
  put_back(at);
  if (++devices_[at].overdue >= settings_.attempts_max) {
    give_up_device(at, why);
  }
}

}  // namespace mstune::coordinator
