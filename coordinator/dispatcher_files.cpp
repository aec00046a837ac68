// What is built and sent, and when.
#include <algorithm>
#include <utility>

#include "coordinator/dispatcher.h"

namespace mstune::coordinator {

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
  if (interrupted_) {
    return;  // it was ended by us: that says nothing of its candidate
  }
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
  if (interrupted_) {
    uploads[event.candidate] = UploadState::none;
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
  moves_.under_way = has_moves_under_way();
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
    const bool settled = builds_[i] == BuildState::left_out || builds_[i] == BuildState::failed;
    agent.has_files = agent.has_files && (settled || agent.uploads[i] == UploadState::uploaded);
  }
}

bool Dispatcher::has_moves_under_way() const {
  const auto uploads = [](const Agent& agent) {
    return agent.state == AgentState::ready &&
           std::count(agent.uploads.begin(), agent.uploads.end(), UploadState::uploading) > 0;
  };
  return std::count(builds_.begin(), builds_.end(), BuildState::building) > 0 ||
         std::any_of(agents_.begin(), agents_.end(), uploads);
}

void Dispatcher::on(const TurnChanged& event, TimePoint /*now*/) {
  may_move_ = event.may_move;
  files_changed_ = files_changed_ || files_held_;
}

}  // namespace mstune::coordinator
