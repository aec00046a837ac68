// What a session does because an earlier one had begun: its results, what it left on disk and at
// agents. Which devices it knew is session_fleet.cpp's, how an attempt goes on
// session_trials.cpp's.
#include <algorithm>
#include <csignal>
#include <variant>

#include "common/os/clock.h"
#include "coordinator/run_leftovers.h"
#include "coordinator/session.h"

namespace mstune::coordinator {

// Those of an earlier session count where they are the trials that are planned now. Where agents
// had joined at another time, other rounds may stand under these numbers.
void Session::take_over_finished(const std::vector<Trial>& planned) {
  for (const EvaluatedTrial& trial : options_.finished) {
    const std::size_t place = trial.trial.index - (planned.empty() ? 0U : planned.front().index);
    if (place >= planned.size()) {  // below the first one, too: it wraps
      continue;
    }
    if (is_same_trial(trial.trial, planned[place])) {
      progress_.known(trial);
      result_.trials.push_back(trial);
    } else {
      directory_.discard(trial.trial, trial.attempt,
                         message("trial.other_plan", "the campaign was planned anew without it"));
    }
  }
}

// What an earlier session had planned and this one, now that it is through, has not: it would stand
// beside the results and not be one.
void Session::put_aside_unplanned() {
  const Message why = message("trial.other_plan", "the campaign was planned anew without it");
  for (const EvaluatedTrial& trial : options_.finished) {
    if (trial.trial.index >= dispatcher_.trials()) {
      directory_.discard(trial.trial, trial.attempt, why);
    }
  }
  for (const auto& [number, left] : options_.unfinished) {
    const auto trial = trial_of_directory(left.directory);
    if (number >= dispatcher_.trials() && trial) {
      directory_.move_apart(left.directory, *trial, left.progress.attempt, why);
    }
  }
}

void Session::sort_results() {
  std::sort(result_.trials.begin(), result_.trials.end(),
            [](const EvaluatedTrial& left, const EvaluatedTrial& right) {
              return left.trial.index < right.trial.index;
            });
}

// Agents may still hold devices, files and a last trial for the session that was killed. One that
// was through without them says goodbye all the same, or they would wait for it.
void Session::find_former_agents() {
  constexpr Duration kWaitMax = std::chrono::seconds(5);
  if (!options_.before || refused_ || result_.left_at_once) {
    return;
  }
  const TimePoint until = after(os::steady_now(), kWaitMax);
  const auto is_awaited = [](const AgentSide& side) {
    return !side.found && side.instance.empty();
  };
  for (TimePoint now = os::steady_now();
       now < until && std::any_of(agents_.begin(), agents_.end(), is_awaited);
       now = os::steady_now()) {
    os::PollSet polled;
    TimePoint next = until;
    for (const AgentSide& side : agents_) {
      side.connection->watch(polled);
      next = std::min(next, side.connection->deadline());
    }
    polled.add(signals_.descriptor());
    polled.wait(os::time_left(next, now));
    if (polled.readable(signals_.descriptor())) {
      const auto signal = signals_.next();
      if (signal && *signal != SIGCHLD) {
        return;
      }
    }
    for (std::size_t at = 0; at < agents_.size(); ++at) {
      AgentSide& side = agents_[at];
      for (const ConnectionEvent& event : side.connection->step(os::steady_now())) {
        const bool is_there = std::holds_alternative<LinkReady>(event);
        side.found = side.found || is_there || std::holds_alternative<LinkRefused>(event);
        if (is_there && fleet_.agents[at].state != "given_up") {
          fleet_.agents[at].state = "ready";  // it was not lost: nothing was left to ask it for
        }
      }
    }
  }
  for (std::size_t at = 0; at < agents_.size(); ++at) {
    if (is_awaited(agents_[at])) {
      progress_.note(message("campaign.not_told",
                             "{} did not answer: what it may still hold of this run it gives back "
                             "when its grace time is over",
                             options_.agents[at].name));
    }
  }
}

}  // namespace mstune::coordinator
