#include "coordinator/dispatcher.h"

#include <algorithm>
#include <utility>

#include "protocol/messages.h"

namespace mstune::coordinator {
namespace {

constexpr Duration kAssignAgain = std::chrono::seconds(2);
// An agent tells how a trial stands every 2 s. One that tells nothing for this long has dropped the
// trial, or does not know that it is spoken to again: either way it has to be asked.
constexpr Duration kUnheardMax = protocol::kSilenceMax;

std::string seconds_text(Duration duration) {
  return duration_text(std::chrono::duration<double>(duration).count());
}

}  // namespace

Dispatcher::Dispatcher(CampaignSettings settings, TimePoint now)
    : settings_(std::move(settings)),
      agents_(settings_.agents),
      builds_(settings_.candidates.size(), BuildState::waiting),
      trials_(settings_.trials.size()) {
  for (Agent& agent : agents_) {
    agent.deadline = after(now, settings_.connect_timeout);
  }
  take_over(0);
}

// Trials from the number `first` on are new here; an earlier session may have made some of them.
void Dispatcher::take_over(std::size_t first) {
  for (std::size_t i = first; i < trials_.size(); ++i) {
    const auto index = static_cast<std::uint32_t>(i);
    TrialProgress& trial = trials_[i];
    if (const auto before = settings_.attempts_before.find(index);
        before != settings_.attempts_before.end()) {
      trial.attempts = before->second;
    }
    trial.attempts_max = trial.attempts + settings_.attempts_max;
    if (std::count(settings_.finished.begin(), settings_.finished.end(), index) > 0) {
      trial.state = TrialState::done;
    }
  }
  choose_builds();
}

// What no trial waits for is not built, until trials come that do.
void Dispatcher::choose_builds() {
  for (std::size_t i = 0; i < builds_.size(); ++i) {
    if (builds_[i] == BuildState::waiting || builds_[i] == BuildState::left_out) {
      const bool is_wanted =
          std::any_of(trials_.begin(), trials_.end(), [&](const TrialProgress& progress) {
            const auto place = static_cast<std::size_t>(&progress - trials_.data());
            return settings_.trials[place].candidate == settings_.candidates[i] &&
                   progress.state == TrialState::waiting;
          });
      builds_[i] = is_wanted ? BuildState::waiting : BuildState::left_out;
    }
  }
}

std::vector<CampaignAction> Dispatcher::handle(const CampaignEvent& event, TimePoint now) {
  if (!finished_) {
    expire(now);
  }
  if (!finished_) {
    std::visit([&](const auto& happened) { on(happened, now); }, event);
  }
  if (!finished_) {
    proceed(now);
  }
  return std::exchange(actions_, {});
}

TimePoint Dispatcher::deadline() const {
  TimePoint earliest = interrupt_deadline_;
  for (const Agent& agent : agents_) {
    earliest = std::min({earliest, agent.deadline, agent.give_up});
  }
  for (const TrialProgress& trial : trials_) {
    earliest = std::min(earliest, trial.assign_again);
  }
  return finished_ ? kNever : earliest;
}

bool Dispatcher::in_flight(const TrialProgress& progress) const {
  return progress.state == TrialState::assigned || progress.state == TrialState::seen ||
         progress.state == TrialState::collecting;
}

Attempt Dispatcher::current(std::uint32_t trial) const {
  return {trials_[trial].agent, trial, trials_[trial].attempts};
}

bool Dispatcher::is_current(const Attempt& attempt) const {
  return attempt.trial < trials_.size() && in_flight(trials_[attempt.trial]) &&
         attempt == current(attempt.trial);
}

// ---- time ----

void Dispatcher::expire(TimePoint now) {
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    Agent& agent = agents_[i];
    if (now >= agent.deadline) {
      agent.deadline = kNever;
      if (agent.state == AgentState::connecting) {
        finish(Ending::failed,
               message("campaign.no_agent",
                       "no agent answered within {}: is mstune-agent running there, and is the "
                       "address in the target file right?",
                       seconds_text(settings_.connect_timeout)));
        return;
      }
      lose_attempts_on(i);
    }
    if (now >= agent.give_up) {
      agent.give_up = kNever;
      agent.state = AgentState::given_up;
    }
  }
  if (now >= interrupt_deadline_) {
    finish(Ending::interrupted,
           message("campaign.interrupted_late",
                   "interrupted; the agent did not confirm within {} that its trial is ended",
                   seconds_text(settings_.cancel_timeout)));
  }
}

// ---- agents ----

void Dispatcher::on(const AgentReady& event, TimePoint now) {
  Agent& agent = agents_.at(event.agent);
  const bool restarted = !agent.instance.empty() && agent.instance != event.instance;
  agent = {AgentState::ready, event.instance, kNever, kNever};
  for (std::uint32_t trial = 0; trial < trials_.size(); ++trial) {
    if (!in_flight(trials_[trial]) || trials_[trial].agent != event.agent) {
      continue;
    }
    if (restarted) {
      lose(trial);
    } else {
      actions_.emplace_back(AssignAttempt{current(trial)});
      repeat_after(trials_[trial], kAssignAgain, now);
    }
  }
}

void Dispatcher::on(const AgentGone& event, TimePoint now) {
  Agent& agent = agents_.at(event.agent);
  if (agent.state == AgentState::ready) {
    agent.state = AgentState::gone;
    agent.deadline = after(now, settings_.reconnect_grace);
    agent.give_up = after(now, settings_.reconnect_grace + settings_.agent_wait);
    stop_repeating(event.agent);
    actions_.emplace_back(
        Tell{message("campaign.agent_gone",
                     "the agent does not answer; waiting {} for the trial that it runs, then {} "
                     "for the agent to come back",
                     seconds_text(settings_.reconnect_grace), seconds_text(settings_.agent_wait))});
  }
}

void Dispatcher::on(const AgentRefused& event, TimePoint /*now*/) {
  agents_.at(event.agent).state = AgentState::given_up;
  finish(Ending::failed, event.why);
}

// Assignments that nobody would hear, or nobody wants any more, are not sent again.
void Dispatcher::stop_repeating(std::size_t agent) {
  for (TrialProgress& trial : trials_) {
    if (trial.agent == agent) {
      trial.assign_again = kNever;
    }
  }
}

void Dispatcher::repeat_after(TrialProgress& progress, Duration wait, TimePoint now) const {
  const bool heard = agents_[progress.agent].state == AgentState::ready;
  progress.assign_again = heard && !interrupted_ ? after(now, wait) : kNever;
}

void Dispatcher::lose_attempts_on(std::size_t agent) {
  for (std::uint32_t trial = 0; trial < trials_.size(); ++trial) {
    if (in_flight(trials_[trial]) && trials_[trial].agent == agent) {
      lose(trial);
    }
  }
}

// The attempt is gone and not by the program's fault: again, while attempts are left.
void Dispatcher::lose(std::uint32_t trial) {
  TrialProgress& progress = trials_[trial];
  const Message why =
      message("trial.agent_lost", "the agent was lost while it ran this trial (attempt {} of {})",
              progress.attempts, progress.attempts_max);
  actions_.emplace_back(DiscardAttempt{current(trial), why});
  progress.assign_again = kNever;
  progress.state = TrialState::waiting;
  if (progress.attempts >= progress.attempts_max) {
    progress.state = TrialState::done;
    actions_.emplace_back(RecordVoid{trial, "agent_lost", why});
  }
}

// ---- builds and uploads ----

void Dispatcher::on(const Built& event, TimePoint /*now*/) {
  BuildState& build = builds_.at(event.candidate);
  build = build == BuildState::building ? BuildState::built : build;
}

void Dispatcher::on(const BuildFailed& event, TimePoint /*now*/) {
  if (builds_.at(event.candidate) != BuildState::building) {
    return;
  }
  builds_[event.candidate] = BuildState::failed;
  const bool is_default = settings_.candidates[event.candidate] == kDefaultCandidate;
  if (!settings_.keep_going || is_default) {
    actions_.emplace_back(StopBuilds{});
    finish(Ending::failed, event.why);
    return;
  }
  void_candidate(event.candidate, event.why);
}

void Dispatcher::void_candidate(std::size_t candidate, const Message& why) {
  actions_.emplace_back(Tell{why});
  for (std::uint32_t trial = 0; trial < trials_.size(); ++trial) {
    if (settings_.trials[trial].candidate == settings_.candidates[candidate] &&
        trials_[trial].state == TrialState::waiting) {
      trials_[trial].state = TrialState::done;
      actions_.emplace_back(RecordVoid{trial, "build_failed", why});
    }
  }
}

void Dispatcher::on(const Uploaded& event, TimePoint /*now*/) {
  BuildState& build = builds_.at(event.candidate);
  build = build == BuildState::uploading ? BuildState::uploaded : build;
}

void Dispatcher::on(const UploadFailed& event, TimePoint /*now*/) {
  if (builds_.at(event.candidate) == BuildState::uploading) {
    actions_.emplace_back(StopBuilds{});
    finish(Ending::failed, event.why);
  }
}

// ---- trials ----

void Dispatcher::on(const AttemptSeen& event, TimePoint now) {
  if (is_current(event.attempt)) {
    TrialProgress& progress = trials_[event.attempt.trial];
    repeat_after(progress, kUnheardMax, now);
    if (progress.state == TrialState::assigned) {
      progress.state = TrialState::seen;
    }
    if (interrupted_ && progress.state == TrialState::seen) {
      actions_.emplace_back(CancelAttempt{event.attempt});  // the first one did not arrive
    }
  }
}

// A release or a cancel that was lost on the way would keep the agent's slot for ever.
void Dispatcher::on(const StrayReported& event, TimePoint /*now*/) {
  if (is_current(event.attempt)) {
    return;
  }
  if (event.finished) {
    actions_.emplace_back(ReleaseAttempt{event.attempt});
  } else {
    actions_.emplace_back(CancelAttempt{event.attempt});
  }
}

void Dispatcher::on(const AttemptExited& event, TimePoint now) {
  if (!is_current(event.attempt) || trials_[event.attempt.trial].state == TrialState::collecting) {
    return;
  }
  TrialProgress& progress = trials_[event.attempt.trial];
  progress.assign_again = kNever;
  if (interrupted_) {
    progress.state = TrialState::done;
    actions_.emplace_back(DiscardAttempt{
        event.attempt, message("trial.interrupted", "it was cancelled by an interrupt")});
    actions_.emplace_back(ReleaseAttempt{event.attempt});
  } else if (!event.program_at_fault) {
    actions_.emplace_back(ReleaseAttempt{event.attempt});
    lose(event.attempt.trial);
  } else {
    progress.state = TrialState::collecting;
    repeat_after(progress, kUnheardMax, now);
    actions_.emplace_back(CollectAttempt{event.attempt});
  }
}

void Dispatcher::on(const AttemptLost& event, TimePoint /*now*/) {
  if (is_current(event.attempt)) {
    lose(event.attempt.trial);
  }
}

void Dispatcher::on(const AttemptRecorded& event, TimePoint /*now*/) {
  if (is_current(event.attempt)) {
    trials_[event.attempt.trial].state = TrialState::done;
    trials_[event.attempt.trial].assign_again = kNever;
    actions_.emplace_back(ReleaseAttempt{event.attempt});
  }
}

void Dispatcher::on(const TrialsAdded& event, TimePoint /*now*/) {
  if (!asked_for_more_) {
    return;
  }
  asked_for_more_ = false;
  settings_.open_ended = !event.trials.empty();
  settings_.candidates.insert(settings_.candidates.end(), event.candidates.begin(),
                              event.candidates.end());
  settings_.trials.insert(settings_.trials.end(), event.trials.begin(), event.trials.end());
  builds_.resize(settings_.candidates.size(), BuildState::waiting);
  const std::size_t known = trials_.size();
  trials_.resize(settings_.trials.size());
  take_over(known);
}

void Dispatcher::on(const InterruptAsked& /*event*/, TimePoint now) {
  if (interrupted_) {
    return;
  }
  interrupted_ = true;
  interrupt_deadline_ = after(now, settings_.cancel_timeout);
  actions_.emplace_back(StopBuilds{});
  for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
    stop_repeating(agent);
  }
  for (std::uint32_t trial = 0; trial < trials_.size(); ++trial) {
    // What is being collected has run: it still counts.
    if (in_flight(trials_[trial]) && trials_[trial].state != TrialState::collecting) {
      actions_.emplace_back(CancelAttempt{current(trial)});
    }
  }
}

void Dispatcher::on(const Tick& /*event*/, TimePoint /*now*/) {}

// ---- what comes next ----

void Dispatcher::proceed(TimePoint now) {
  const bool any_in_flight = std::any_of(trials_.begin(), trials_.end(),
                                         [&](const auto& trial) { return in_flight(trial); });
  if (interrupted_) {
    if (!any_in_flight) {
      finish(Ending::interrupted, message("campaign.interrupted", "interrupted"));
    }
    return;
  }
  const bool all_done = std::all_of(trials_.begin(), trials_.end(), [](const TrialProgress& trial) {
    return trial.state == TrialState::done;
  });
  if (all_done) {
    finish_or_ask();
    return;
  }
  const bool none_left = std::all_of(agents_.begin(), agents_.end(), [](const Agent& agent) {
    return agent.state == AgentState::given_up;
  });
  if (none_left) {
    finish(Ending::failed,
           message("campaign.agents_gone", "no agent is left and none came back within {}",
                   seconds_text(settings_.agent_wait)));
    return;
  }
  if (settings_.offline) {
    proceed_with_builds();
  }
  proceed_with_trials(now);
}

// Builds begin when the agent has answered: nobody waits an hour for atc to learn that the target
// was never there.
void Dispatcher::proceed_with_builds() {
  const bool answered = std::all_of(agents_.begin(), agents_.end(), [](const Agent& agent) {
    return agent.state != AgentState::connecting;
  });
  if (!answered) {
    return;
  }
  auto building =
      static_cast<std::size_t>(std::count(builds_.begin(), builds_.end(), BuildState::building));
  for (std::size_t i = 0; i < builds_.size(); ++i) {
    if (builds_[i] == BuildState::waiting && building < settings_.compile_jobs) {
      builds_[i] = BuildState::building;
      ++building;
      actions_.emplace_back(StartBuild{i});
    } else if (builds_[i] == BuildState::built) {
      builds_[i] = BuildState::uploading;
      actions_.emplace_back(StartUpload{0, i});
    }
  }
}

void Dispatcher::proceed_with_trials(TimePoint now) {
  const bool all_there =
      !settings_.offline || std::all_of(builds_.begin(), builds_.end(), [](BuildState build) {
        return build == BuildState::uploaded || build == BuildState::failed ||
               build == BuildState::left_out;
      });
  if (!all_there) {
    return;
  }
  for (std::uint32_t trial = 0; trial < trials_.size(); ++trial) {
    if (in_flight(trials_[trial])) {
      if (now >= trials_[trial].assign_again &&
          agents_[trials_[trial].agent].state == AgentState::ready) {
        trials_[trial].assign_again = after(now, kAssignAgain);
        actions_.emplace_back(AssignAttempt{current(trial)});
      }
      return;  // one trial at a time: costs of different devices are never pooled
    }
    if (trials_[trial].state == TrialState::waiting) {
      assign(trial, now);
      return;
    }
  }
}

void Dispatcher::assign(std::uint32_t trial, TimePoint now) {
  if (agents_[0].state != AgentState::ready) {
    return;
  }
  TrialProgress& progress = trials_[trial];
  progress.state = TrialState::assigned;
  progress.agent = 0;
  ++progress.attempts;
  progress.assign_again = after(now, kAssignAgain);
  actions_.emplace_back(AssignAttempt{current(trial)});
}

void Dispatcher::finish_or_ask() {
  if (!settings_.open_ended) {
    finish(Ending::complete, {});
  } else if (!asked_for_more_) {
    asked_for_more_ = true;
    actions_.emplace_back(NeedMore{});
  }
}

void Dispatcher::finish(Ending ending, Message why) {
  finished_ = true;
  actions_.emplace_back(Finish{ending, std::move(why)});
}

}  // namespace mstune::coordinator
