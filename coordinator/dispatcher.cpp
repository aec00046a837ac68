// Agents, time, builds and uploads; work is dispatcher_work.cpp's.
#include "coordinator/dispatcher.h"

#include <algorithm>
#include <utility>

namespace mstune::coordinator {
namespace {

constexpr Duration kAssignAgain = std::chrono::seconds(2);

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
  for (const Device& device : devices_) {
    if (device.trial) {
      earliest = std::min(earliest, trials_[*device.trial].assign_again);
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

// ---- builds and uploads ----

// What no trial waits for is not built, until trials come that do.
void Dispatcher::choose_builds(std::size_t first_trial) {
  for (std::size_t i = 0; i < builds_.size(); ++i) {
    if (builds_[i] != BuildState::waiting && builds_[i] != BuildState::left_out) {
      continue;
    }
    const bool was_wanted = builds_[i] == BuildState::waiting && first_trial > 0;
    bool is_wanted = was_wanted;
    for (std::size_t at = first_trial; at < trials_.size() && !is_wanted; ++at) {
      is_wanted = settings_.trials[at].candidate == settings_.candidates[i] &&
                  trials_[at].state == TrialState::waiting;
    }
    builds_[i] = is_wanted ? BuildState::waiting : BuildState::left_out;
  }
  files_changed_ = true;
}

void Dispatcher::on(const Built& event, TimePoint /*now*/) {
  BuildState& build = builds_.at(event.candidate);
  build = build == BuildState::building ? BuildState::built : build;
  files_changed_ = true;
}

void Dispatcher::on(const BuildFailed& event, TimePoint /*now*/) {
  if (builds_.at(event.candidate) != BuildState::building) {
    return;
  }
  files_changed_ = true;
  builds_[event.candidate] = BuildState::failed;
  const bool is_default = settings_.candidates[event.candidate] == kDefaultCandidate;
  if (!settings_.keep_going || is_default) {
    actions_.emplace_back(StopBuilds{});
    finish(Ending::failed, event.why);
    return;
  }
  actions_.emplace_back(Tell{event.why});
  void_candidate(event.candidate, 0, event.why);
}

void Dispatcher::void_candidate(std::size_t candidate, std::size_t first_trial,
                                const Message& why) {
  for (auto trial = static_cast<std::uint32_t>(first_trial); trial < trials_.size(); ++trial) {
    if (settings_.trials[trial].candidate == settings_.candidates[candidate] &&
        trials_[trial].state == TrialState::waiting) {
      trials_[trial].never_runs = true;
      make_void(trial, "build_failed", why);
    }
  }
}

void Dispatcher::on(const Uploaded& event, TimePoint /*now*/) {
  auto& uploads = agents_.at(event.agent).uploads;
  if (event.candidate < uploads.size() && uploads[event.candidate] == UploadState::uploading) {
    uploads[event.candidate] = UploadState::uploaded;
    files_changed_ = true;
  }
}

void Dispatcher::on(const UploadFailed& event, TimePoint /*now*/) {
  Agent& agent = agents_.at(event.agent);
  auto& uploads = agent.uploads;
  if (event.candidate >= uploads.size() || uploads[event.candidate] != UploadState::uploading) {
    return;
  }
  if (event.broken && ++agent.broken[event.candidate] < settings_.attempts_max) {
    uploads[event.candidate] = UploadState::none;
    files_changed_ = true;
    actions_.emplace_back(Tell{message("upload.again", "{}; once more", event.why)});
    return;
  }
  if (agents_.size() == 1) {
    actions_.emplace_back(StopBuilds{});
    finish(Ending::failed, event.why);
  } else if (agent.state != AgentState::given_up) {
    give_up_agent(event.agent, event.why);
  }
}

void Dispatcher::proceed_with_files() {
  if (!settings_.offline || !files_changed_) {
    return;
  }
  files_changed_ = false;
  files_held_ = false;
  moving_machines_.clear();
  moves_ = {};
  const Machines measuring = measuring_machines();
  proceed_with_builds(measuring);
  for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
    if (agents_[agent].state == AgentState::ready) {
      proceed_with_uploads(agent, measuring);
    }
  }
  moving_machines_.erase("");
}

Dispatcher::Machines Dispatcher::measuring_machines() const {
  Machines machines;
  for (const Device& device : devices_) {
    if (device.trial) {
      machines.insert(agents_[device.where.agent].machine);
    }
  }
  machines.erase("");
  return machines;
}

void Dispatcher::proceed_with_builds(const Machines& measuring) {
  auto building =
      static_cast<std::size_t>(std::count(builds_.begin(), builds_.end(), BuildState::building));
  for (std::size_t i = 0; i < builds_.size(); ++i) {
    if (builds_[i] != BuildState::waiting && builds_[i] != BuildState::building) {
      continue;
    }
    moving_machines_.insert(settings_.machine);
    moves_.wanted = moves_.wanted || builds_[i] == BuildState::building ||
                    !measuring.contains(settings_.machine);
    if (builds_[i] == BuildState::waiting && building < settings_.compile_jobs) {
      if (!may_move_ || measuring.contains(settings_.machine)) {
        files_held_ = true;
        continue;
      }
      builds_[i] = BuildState::building;
      ++building;
      actions_.emplace_back(StartBuild{i});
    }
  }
  moves_.under_way = building > 0;
}

// One that was broken off by a lost connection goes on at once when the agent is back.
void Dispatcher::proceed_with_uploads(std::size_t at, const Machines& measuring) {
  Agent& agent = agents_[at];
  agent.uploads.resize(builds_.size(), UploadState::none);
  agent.has_files = true;
  for (std::size_t i = 0; i < builds_.size(); ++i) {
    const bool wanted = builds_[i] == BuildState::built;
    if (wanted && agent.uploads[i] != UploadState::uploaded) {
      moving_machines_.insert({settings_.machine, agent.machine});
    }
    if (wanted && agent.uploads[i] == UploadState::none) {
      const bool is_held =
          measuring.contains(settings_.machine) || measuring.contains(agent.machine);
      moves_.wanted = moves_.wanted || !is_held;
      if (!may_move_ || is_held) {
        files_held_ = true;
      } else {
        agent.uploads[i] = UploadState::uploading;
        actions_.emplace_back(StartUpload{at, i});
      }
    }
    moves_.under_way = moves_.under_way || agent.uploads[i] == UploadState::uploading;
    const bool settled = builds_[i] == BuildState::left_out || builds_[i] == BuildState::failed;
    agent.has_files = agent.has_files && (settled || agent.uploads[i] == UploadState::uploaded);
  }
}

void Dispatcher::on(const TurnChanged& event, TimePoint /*now*/) {
  may_move_ = event.may_move;
  files_changed_ = files_changed_ || files_held_;
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
