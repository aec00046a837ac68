#include "tests/sim/campaign_agent.h"

#include <algorithm>
#include <utility>

namespace mstune {

using std::chrono::milliseconds;

CampaignAgent::CampaignAgent(World world, agent::JobSettings settings, std::mt19937_64& random)
    : world_(std::move(world)), settings_(settings), random_(random) {}

Duration CampaignAgent::between(int low_ms, int high_ms) {
  const auto span = static_cast<std::uint64_t>(high_ms - low_ms + 1);
  return milliseconds(low_ms + static_cast<int>(random_() % span));
}

ProgramPlan CampaignAgent::draw_plan() {
  ProgramPlan plan;
  plan.starts = random_() % 20 != 0;
  plan.hangs = random_() % 20 == 0;
  plan.spawn = random_() % 4 == 0 ? between(0, 8000) : between(0, 5);
  plan.run = between(10, 30000);
  plan.ending = between(0, 6000);
  plan.draining = between(0, 2000);
  plan.lines = static_cast<int>(random_() % kLinesMax);
  return plan;
}

// ---- messages ----

void CampaignAgent::receive(std::uint64_t peer, const protocol::Request& request) {
  if (const auto* hello = std::get_if<protocol::Hello>(&request)) {
    sessions_[hello->campaign] = {peer, world_.now()};
    protocol::Welcome welcome;
    welcome.instance = "life" + std::to_string(life_);
    world_.send(peer, welcome);
    return;
  }
  const auto session = std::find_if(sessions_.begin(), sessions_.end(),
                                    [&](const auto& entry) { return entry.second.peer == peer; });
  if (session == sessions_.end()) {
    world_.send(peer, protocol::Failure{protocol::tag(request), message("agent.no_session", "")});
    return;
  }
  session->second.last_heard = world_.now();
  if (const auto* ping = std::get_if<protocol::Ping>(&request)) {
    world_.send(peer, protocol::Pong{ping->sequence});
  } else if (const auto* assignment = std::get_if<protocol::Assign>(&request)) {
    assign(peer, *assignment);
  } else if (std::holds_alternative<protocol::Goodbye>(request)) {
    leave(std::string(session->first), true);
  } else if (const auto* cancel = std::get_if<protocol::Cancel>(&request)) {
    handle_trial(peer, request, cancel->key);
  } else if (const auto* acknowledge = std::get_if<protocol::Acknowledge>(&request)) {
    handle_trial(peer, request, acknowledge->key);
  } else if (const auto* release = std::get_if<protocol::Release>(&request)) {
    handle_trial(peer, request, release->key);
  } else if (const auto* fetch = std::get_if<protocol::Fetch>(&request)) {
    handle_trial(peer, request, fetch->key);
  }
  clean_up();
  begin_queued();
}

void CampaignAgent::assign(std::uint64_t peer, const protocol::Assign& request) {
  const protocol::TrialKey& key = request.key;
  if (runners_.contains(key)) {
    happen(key, agent::CoordinatorSeen{request.events_from});
    return;
  }
  const bool was_released = std::find(released_.begin(), released_.end(), key) != released_.end();
  if (key.instance != "life" + std::to_string(life_) || was_released || request.events_from > 0) {
    world_.send(peer, protocol::Status{key, protocol::TrialState::lost, 0, {}, {}});
    return;
  }
  runners_[key] = std::make_unique<Runner>(Runner{agent::Job(settings_), draw_plan(), 0, false});
  queue_.push_back(key);
  world_.send(peer, protocol::Status{key, protocol::TrialState::queued, 0, {}, {}});
}

void CampaignAgent::handle_trial(std::uint64_t peer, const protocol::Request& request,
                                 const protocol::TrialKey& key) {
  if (!runners_.contains(key)) {
    world_.send(peer, protocol::Status{key, protocol::TrialState::lost, 0, {}, {}});
  } else if (std::holds_alternative<protocol::Cancel>(request)) {
    happen(key, agent::CancelAsked{});
  } else if (const auto* acknowledge = std::get_if<protocol::Acknowledge>(&request)) {
    happen(key, agent::Acknowledged{acknowledge->events});
  } else if (std::holds_alternative<protocol::Release>(request)) {
    happen(key, agent::ReleaseAsked{});
  } else if (const auto* fetch = std::get_if<protocol::Fetch>(&request)) {
    world_.send(peer, protocol::FileData{key, fetch->file, fetch->offset, true, {}});
  }
}

void CampaignAgent::leave(const std::string& campaign, bool for_good) {
  sessions_.erase(campaign);
  std::vector<protocol::TrialKey> keys;
  for (const auto& [key, runner] : runners_) {
    keys.push_back(key);
  }
  for (const protocol::TrialKey& key : keys) {
    happen(key, agent::CoordinatorGone{for_good});
  }
}

// ---- time ----

TimePoint CampaignAgent::deadline() const {
  TimePoint earliest = kNever;
  for (const auto& [key, runner] : runners_) {
    earliest = std::min(earliest, runner->job.deadline());
  }
  for (const auto& [campaign, session] : sessions_) {
    earliest = std::min(earliest, after(session.last_heard, protocol::kSilenceMax));
  }
  return earliest;
}

void CampaignAgent::step() {
  const TimePoint now = world_.now();
  std::vector<std::string> silent;
  for (const auto& [campaign, session] : sessions_) {
    if (now >= after(session.last_heard, protocol::kSilenceMax)) {
      silent.push_back(campaign);
    }
  }
  for (const std::string& campaign : silent) {
    leave(campaign, false);
  }
  std::vector<protocol::TrialKey> due;
  for (const auto& [key, runner] : runners_) {
    if (now >= runner->job.deadline()) {
      due.push_back(key);
    }
  }
  for (const protocol::TrialKey& key : due) {
    happen(key, agent::Tick{});
  }
  clean_up();
  begin_queued();
}

void CampaignAgent::restart() {
  ++life_;
  sessions_.clear();
  runners_.clear();
  queue_.clear();
  released_.clear();
  slot_held_ = false;
  programs_ = 0;
}

// ---- trials ----

void CampaignAgent::clean_up() {
  for (auto place = runners_.begin(); place != runners_.end();) {
    if (!place->second->job.finished()) {
      ++place;
      continue;
    }
    if (slot_held_ && holder_ == place->first) {
      slot_held_ = false;
    }
    released_.push_back(place->first);
    place = runners_.erase(place);
  }
}

void CampaignAgent::begin_queued() {
  while (!queue_.empty() && !slot_held_) {
    const protocol::TrialKey key = queue_.front();
    queue_.pop_front();
    const auto found = runners_.find(key);
    if (found == runners_.end() || !found->second->job.queued()) {
      continue;
    }
    slot_held_ = true;
    holder_ = key;
    carry_out(key, found->second->job.begin(world_.now()));
  }
}

void CampaignAgent::happen(const protocol::TrialKey& key, const agent::JobEvent& event) {
  const auto found = runners_.find(key);
  if (found != runners_.end()) {
    carry_out(key, found->second->job.handle(event, world_.now()));
  }
}

void CampaignAgent::happen_later(Duration wait, const protocol::TrialKey& key,
                                 const agent::JobEvent& event) {
  world_.later(wait, [this, key, event, life = life_] {
    if (life == life_) {
      happen(key, event);
      clean_up();
      begin_queued();
    }
  });
}

void CampaignAgent::carry_out(const protocol::TrialKey& key,
                              const std::vector<agent::JobAction>& actions) {
  for (const agent::JobAction& action : actions) {
    carry_out(key, action);
  }
}

void CampaignAgent::carry_out(const protocol::TrialKey& key, const agent::JobAction& action) {
  if (std::holds_alternative<agent::PrepareEnvironment>(action)) {
    happen_later(between(0, 500), key, agent::EnvironmentReady{});
  } else if (std::holds_alternative<agent::StartProgram>(action)) {
    start(key);
  } else if (std::holds_alternative<agent::EndTree>(action)) {
    end_tree(key);
  } else if (std::holds_alternative<agent::DrainOutput>(action)) {
    drain(key);
  } else if (const auto* send = std::get_if<agent::SendEvents>(&action)) {
    report(key, protocol::Events{key, send->batch.first, send->batch.events});
  } else if (const auto* status = std::get_if<agent::SendStatus>(&action)) {
    report(key, protocol::Status{key, status->state, status->events});
  }
}

void CampaignAgent::report(const protocol::TrialKey& key, const protocol::Report& report) {
  const auto session = sessions_.find(key.campaign);
  if (session != sessions_.end()) {
    world_.send(session->second.peer, report);
  }
}

// A program counts from the moment that it is asked for: nobody knows when it comes to life.
void CampaignAgent::start(const protocol::TrialKey& key) {
  Runner& runner = *runners_.at(key);
  const ProgramPlan plan = runner.plan;
  if (!plan.starts) {
    happen_later(plan.spawn, key, agent::NotStarted{message("test.not_started", "")});
    return;
  }
  runner.alive = true;
  ++programs_;
  programs_most_ = std::max(programs_most_, programs_);
  happen_later(plan.spawn, key, agent::ProgramStarted{1, 0, "program"});
  for (int i = 0; i < plan.lines; ++i) {
    world_.later(plan.spawn + plan.run * i / kLinesMax, [this, key, life = life_] {
      if (life == life_) {
        tell_line(key);
      }
    });
  }
  if (!plan.hangs) {
    happen_later(plan.spawn + plan.run, key, agent::ProgramExited{});
  }
}

void CampaignAgent::tell_line(const protocol::TrialKey& key) {
  const auto found = runners_.find(key);
  if (found != runners_.end() && found->second->alive) {
    const auto number = static_cast<std::uint64_t>(++found->second->lines_told);
    happen(key, agent::LinesFound{{protocol::StepLine{{"stdout.log"}, number, {"line"}}}});
  }
}

void CampaignAgent::end_tree(const protocol::TrialKey& key) {
  world_.later(runners_.at(key)->plan.ending, [this, key, life = life_] {
    if (life != life_) {
      return;
    }
    --programs_;
    if (const auto found = runners_.find(key); found != runners_.end()) {
      found->second->alive = false;
      happen(key, agent::TreeEnded{0});
      clean_up();
      begin_queued();
    }
  });
}

void CampaignAgent::drain(const protocol::TrialKey& key) {
  agent::OutputDrained drained;
  drained.files.resize(kFilesOfATrial);
  happen_later(runners_.at(key)->plan.draining, key, drained);
}

}  // namespace mstune
