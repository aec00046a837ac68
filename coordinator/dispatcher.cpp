// Agents and time; builds and uploads are dispatcher_files.cpp's, work is dispatcher_work.cpp's,
// how long that may take dispatcher_limits.cpp's.
#include "coordinator/dispatcher.h"

#include <algorithm>
#include <utility>

namespace mstune::coordinator {
namespace {

std::string seconds_text(Duration duration) {
  return duration_text(std::chrono::duration<double>(duration).count());
}

}  // namespace

Dispatcher::Dispatcher(CampaignSettings settings, TimePoint now)
    : settings_(std::move(settings)),
      agents_(settings_.agents),
      builds_(settings_.candidates.size(), BuildState::waiting),
      base_trials_(settings_.trials.size()) {
  for (Agent& agent : agents_) {
    agent.deadline = after(now, settings_.connect_timeout);
  }
  add_trials(0);
  if (agents_.size() == 1 && settings_.devices.size() == 1) {
    settings_.spread = Spread::share;  // an earlier session found nothing to spread
  }
  for (const CampaignDevice& device : settings_.devices) {
    agents_[device.agent].registered = true;
    add_device(device);
  }
  if (settings_.spread == Spread::share) {
    add_blocks(0);
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
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    if (devices_[device].trial) {
      earliest =
          std::min({earliest, trials_[*devices_[device].trial].assign_again, overdue_at(device)});
    }
  }
  return finished_ ? kNever : earliest;
}

Message Dispatcher::who(std::size_t agent) const {
  return settings_.agents == 1 || agent >= settings_.agent_names.size()
             ? message("campaign.the_agent", "the agent")
             : message("campaign.the_agent_named", "the agent {}", settings_.agent_names[agent]);
}

// ---- time ----

void Dispatcher::expire(TimePoint now) {
  for (std::size_t agent = 0; agent < agents_.size() && !finished_; ++agent) {
    expire(agent, now);
  }
  for (std::size_t device = 0; device < devices_.size() && !finished_; ++device) {
    lose_overdue(device, now);
  }
  if (now >= interrupt_deadline_ && !finished_) {
    finish(Ending::interrupted,
           message("campaign.interrupted_late",
                   "interrupted; the agent did not confirm within {} that its trial is ended",
                   seconds_text(settings_.cancel_timeout)));
  }
}

void Dispatcher::expire(std::size_t at, TimePoint now) {
  Agent& agent = agents_[at];
  if (now >= agent.deadline) {
    agent.deadline = kNever;
    if (agent.state != AgentState::connecting) {
      lose_attempts_on(at);
    } else if (agents_.size() > 1) {
      agent.state = AgentState::late;
      // It was there in an earlier session: what it alone can run waits for it.
      agent.give_up = agent.registered ? after(now, settings_.agent_wait) : kNever;
      lose_attempts_on(at);
      actions_.emplace_back(
          Tell{message("campaign.agent_late",
                       "{} did not answer within {}: the campaign goes on without it; it may join "
                       "later",
                       who(at), seconds_text(settings_.connect_timeout))});
    } else if (!agent.unreachable.text.empty()) {
      finish(Ending::failed,
             message("campaign.not_reached", "{} (waited for {}, --reconnect-grace)",
                     agent.unreachable, seconds_text(settings_.reconnect_grace)));
      return;
    } else {
      finish(Ending::failed,
             message("campaign.no_agent",
                     "no agent answered within {}: is mstune-agent running there, and is the "
                     "address in the target file right?",
                     seconds_text(settings_.connect_timeout)));
      return;
    }
  }
  if (now >= agent.give_up) {
    give_up_agent(at, message("campaign.agent_stayed_away", "{} did not come back within {}",
                              who(at), seconds_text(settings_.agent_wait)));
  }
}

// ---- agents ----

void Dispatcher::on(const AgentReady& event, TimePoint now) {
  Agent& agent = agents_.at(event.agent);
  if (agent.state == AgentState::given_up) {
    return;
  }
  const bool restarted = !agent.instance.empty() && agent.instance != event.instance;
  if (agent.state == AgentState::late) {
    actions_.emplace_back(Tell{message(
        "campaign.agent_joined", "{} has answered: it takes part from now on", who(event.agent))});
  } else if (agent.state == AgentState::gone) {
    actions_.emplace_back(Tell{message("campaign.agent_back", "{} is back", who(event.agent))});
  }
  if (agent.state == AgentState::gone) {
    expect_end_anew(event.agent, now);
  }
  agent.state = AgentState::ready;
  agent.instance = event.instance;
  agent.deadline = kNever;
  agent.give_up = kNever;
  agent.offered = event.devices;
  agent.machine = event.machine;
  files_changed_ = true;
  if (phase_ != Phase::gathering) {
    register_devices(event.agent);
  }
  for (const Device& device : devices_) {
    if (device.where.agent != event.agent || !device.trial) {
      continue;
    }
    const std::uint32_t trial = *device.trial;
    if (restarted) {
      lose(trial, "agent_lost", lost_text(trial));
    } else {
      actions_.emplace_back(AssignAttempt{current(trial), *blocks_[trials_[trial].block].device});
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
    files_changed_ = true;
    actions_.emplace_back(
        Tell{message("campaign.agent_gone",
                     "{} does not answer; waiting {} for the trial that it runs, then {} for the "
                     "agent to come back",
                     who(event.agent), seconds_text(settings_.reconnect_grace),
                     seconds_text(settings_.agent_wait))});
  }
}

void Dispatcher::on(const AgentRefused& event, TimePoint /*now*/) {
  if (agents_.size() == 1) {
    agents_.front().state = AgentState::given_up;
    finish(Ending::failed, event.why);
  } else if (agents_.at(event.agent).state != AgentState::given_up) {
    give_up_agent(event.agent, event.why);
  }
}

// A fleet begins without it, and it may join later.
void Dispatcher::on(const AgentUnreachable& event, TimePoint now) {
  Agent& agent = agents_.at(event.agent);
  if (agent.state != AgentState::connecting) {
    return;
  }
  agent.unreachable = event.why;
  if (agents_.size() == 1) {
    agent.deadline = std::max(agent.deadline, after(now, settings_.reconnect_grace));
  }
  actions_.emplace_back(Tell{message(
      "campaign.not_reached_yet", "{}; waiting for it up to {}", event.why,
      seconds_text(agents_.size() == 1 ? settings_.reconnect_grace : settings_.connect_timeout))});
}

void Dispatcher::on(const FleetChecked& event, TimePoint /*now*/) {
  if (phase_ != Phase::checking) {
    return;
  }
  phase_ = Phase::running;
  if (!event.refusal.text.empty()) {
    finish(Ending::failed, event.refusal);
  }
}

void Dispatcher::give_up_agent(std::size_t at, const Message& why) {
  Agent& agent = agents_[at];
  agent.state = AgentState::given_up;
  agent.deadline = kNever;
  agent.give_up = kNever;
  last_trouble_ = why;
  files_changed_ = true;
  actions_.emplace_back(GiveUpAgent{at, why});
  lose_attempts_on(at);
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    if (devices_[device].where.agent == at) {
      devices_[device].given_up = true;
      drop_work(device, why);
    }
  }
}

// ---- interrupts and the end ----

void Dispatcher::on(const InterruptAsked& /*event*/, TimePoint now) {
  if (interrupted_) {
    return;
  }
  interrupted_ = true;
  interrupt_deadline_ = after(now, settings_.cancel_timeout);
  actions_.emplace_back(StopBuilds{});
  for (const Device& device : devices_) {
    if (!device.trial) {
      continue;
    }
    trials_[*device.trial].assign_again = kNever;
    // What is being collected has run: it still counts.
    if (trials_[*device.trial].state != TrialState::collecting) {
      actions_.emplace_back(CancelAttempt{current(*device.trial)});
    }
  }
}

void Dispatcher::on(const Tick& /*event*/, TimePoint /*now*/) {}

void Dispatcher::proceed(TimePoint now) {
  if (interrupted_) {
    moves_ = {false, has_moves_under_way()};
    if (in_flight_ == 0) {
      finish(Ending::interrupted, message("campaign.interrupted", "interrupted"));
    }
    return;
  }
  gather();
  if (phase_ == Phase::checking) {
    return;
  }
  if (unfinished_ == 0 && (phase_ == Phase::running || settings_.spread == Spread::share)) {
    finish_or_ask();
    return;
  }
  if (give_up_when_none_is_left()) {
    return;
  }
  // Builds begin when the agents have answered: nobody waits an hour for atc to learn that the
  // target was never there.
  if (phase_ == Phase::running) {
    proceed_with_files();
    proceed_with_trials(now);
  }
}

void Dispatcher::gather() {
  const bool connecting = std::any_of(agents_.begin(), agents_.end(), [](const Agent& agent) {
    return agent.state == AgentState::connecting;
  });
  if (phase_ != Phase::gathering || connecting) {
    return;
  }
  if (settings_.spread == Spread::replicate && agents_.size() == 1 && agents_[0].offered == 1 &&
      devices_.empty()) {
    settings_.spread = Spread::share;  // there is nothing to spread
    add_blocks(0);
  }
  for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
    if (agents_[agent].state == AgentState::ready) {
      register_devices(agent);
    }
  }
  if (std::none_of(agents_.begin(), agents_.end(),
                   [](const Agent& agent) { return agent.state == AgentState::ready; })) {
    return;
  }
  phase_ = settings_.check_fleet ? Phase::checking : Phase::running;
  if (settings_.check_fleet) {
    actions_.emplace_back(CheckFleet{});
  }
}

bool Dispatcher::give_up_when_none_is_left() {
  const bool agents_left = std::any_of(agents_.begin(), agents_.end(), [](const Agent& agent) {
    return agent.state != AgentState::given_up && agent.state != AgentState::late;
  });
  const bool devices_left =
      devices_.empty() || std::any_of(devices_.begin(), devices_.end(),
                                      [](const Device& device) { return !device.given_up; });
  if (agents_left && devices_left) {
    return false;
  }
  if (agents_.size() > 1 && last_trouble_.text.empty()) {
    finish(Ending::failed,
           message("campaign.no_agents",
                   "none of the {} agents answered within {}: is mstune-agent running there, and "
                   "are the addresses right?",
                   agents_.size(), seconds_text(settings_.connect_timeout)));
  } else if (!agents_left && agents_.size() == 1) {
    finish(Ending::failed,
           message("campaign.agents_gone", "no agent is left and none came back within {}",
                   seconds_text(settings_.agent_wait)));
  } else {
    finish(Ending::failed, message("campaign.no_device_left",
                                   "no device is left to measure on; the last trouble was: {}",
                                   last_trouble_.text));
  }
  return true;
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
