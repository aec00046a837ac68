#include "tests/sim/fleet_world.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace mstune {
namespace {

using namespace coordinator;  // NOLINT(google-build-using-namespace): events and actions
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kNotices{6000};  // how long a silence lasts before it is noticed
constexpr seconds kGrace{60};           // an agent ends trials whose coordinator is away for longer

CampaignSettings settings_of(const FleetPlan& plan, std::uint64_t seed) {
  CampaignSettings settings;
  settings.candidates = {kDefaultCandidate};
  for (int streams = 1; streams < plan.candidates; ++streams) {
    settings.candidates.push_back({Strategy::load_balance, streams});
  }
  settings.order = {OrderKind::random, seed};
  settings.trials = trials_in_rounds(settings.candidates, plan.rounds, settings.order);
  settings.agents = plan.agents;
  settings.spread = plan.spread;
  settings.offline = plan.offline;
  settings.pipeline = plan.pipeline;
  settings.machine = plan.builds_on_first ? "machine 0" : "build host";
  settings.compile_jobs = 2;
  settings.keep_going = true;
  settings.check_fleet = true;
  return settings;
}

}  // namespace

FleetWorld::FleetWorld(const FleetPlan& plan, const FleetFaults& faults, std::uint64_t seed)
    : plan_(plan),
      random_(seed),
      agents_(plan.agents),
      dispatcher_(settings_of(plan, seed), now_),
      seed_(seed),
      lost_permille_(faults.lost_permille) {
  for (std::size_t agent = 0; agent < plan.agents; ++agent) {
    report_.healthy.insert(agent);
    begin_life(agent);
  }
  plan_faults(faults);
  if (plan.has_neighbours) {
    have_neighbours(50);
  }
}

bool FleetWorld::chance(int permille) {
  return std::uniform_int_distribution<int>(0, 999)(random_) < permille;
}

Duration FleetWorld::between(std::int64_t least_ms, std::int64_t most_ms) {
  return milliseconds(std::uniform_int_distribution<std::int64_t>(least_ms, most_ms)(random_));
}

std::size_t FleetWorld::any_agent() {
  const auto agent = std::uniform_int_distribution<std::size_t>(0, plan_.agents - 1)(random_);
  report_.healthy.erase(agent);
  return agent;
}

void FleetWorld::after(Duration wait, std::function<void()> what) {
  queue_.emplace(now_ + wait, std::move(what));
}

void FleetWorld::note(const std::string& what) {
  report_.transcript += fmt::format(
      "{} {}\n", std::chrono::duration_cast<milliseconds>(now_.time_since_epoch()).count(), what);
}

void FleetWorld::plan_faults(const FleetFaults& faults) {
  std::map<std::size_t, Duration> comes;
  for (int i = 0; i < faults.late; ++i) {
    comes[any_agent()] = chance(500) ? between(16'000, 600'000) : hours(1000);
  }
  for (std::size_t agent = 0; agent < plan_.agents; ++agent) {
    const auto late = comes.find(agent);
    after(late == comes.end() ? between(1, 3000) : late->second, [this, agent] { come(agent); });
  }
  for (int i = 0; i < faults.slow; ++i) {
    agents_[any_agent()].slowness = 10;
  }
  for (int i = 0; i < faults.wrong; ++i) {
    agents_[any_agent()].nothing_starts = true;
  }
  for (int i = 0; i < faults.refused_uploads; ++i) {
    agents_[any_agent()].disk_full = true;
  }
  for (int i = 0; i < faults.busy; ++i) {
    agents_[any_agent()].busy_places.insert(
        std::uniform_int_distribution<std::size_t>(0, plan_.devices - 1)(random_));
  }
  const auto befall = [&](int times, auto away, bool crashed) {
    for (int i = 0; i < times; ++i) {
      const std::size_t agent = any_agent();
      const Duration length = away();
      after(between(4000, 300'000), [this, agent, length, crashed] { go(agent, length, crashed); });
    }
  };
  befall(
      faults.crashes, [&] { return between(1, 20'000); }, true);
  befall(
      faults.absences, [&] { return between(1000, chance(500) ? 50'000 : 3'600'000); }, false);
  befall(
      faults.deaths, [] { return Duration(hours(1000)); }, true);
  for (int i = 0; i < faults.restarts; ++i) {
    after(between(2, 100'000), [this] { restart(); });
  }
  if (faults.interrupt) {
    after(between(1, 300'000), [this] { dispatch(InterruptAsked{}); });
  }
}

void FleetWorld::have_neighbours(int times) {
  after(between(1, 20'000), [this, times] {
    others_measure_ = times > 1 && !others_measure_;
    dispatch(TurnChanged{!others_measure_});
    if (times > 1) {
      have_neighbours(times - 1);
    }
  });
}

FleetReport FleetWorld::run() {
  const TimePoint start = now_;
  const TimePoint bound = now_ + hours(20);
  dispatch(Tick{});
  while (!dispatcher_.finished() && now_ < bound) {
    const TimePoint next =
        std::min(dispatcher_.deadline(), queue_.empty() ? kNever : queue_.begin()->first);
    if (next == kNever) {
      wrong("nothing will ever happen again");
      break;
    }
    now_ = std::max(now_, next);
    if (!queue_.empty() && queue_.begin()->first <= now_) {
      const auto what = std::move(queue_.begin()->second);
      queue_.erase(queue_.begin());
      what();
    } else {
      dispatch(Tick{});
    }
  }
  report_.took = now_ - start;
  report_.trials = dispatcher_.trials();
  report_.devices = dispatcher_.device_count();
  check_blocks();
  return std::move(report_);
}

// A round stands on one device: what is compared was measured there.
void FleetWorld::check_blocks() {
  std::map<std::pair<int, std::size_t>, std::set<std::size_t>> devices;
  for (const auto& [trial, device] : report_.recorded_on) {
    const Trial& which = dispatcher_.trial(trial);
    const std::size_t replica =
        plan_.spread == Spread::replicate ? which.device.value_or(0) : std::size_t{0};
    devices[{which.repeat, replica}].insert(device);
    if (dispatcher_.has_fleet() && which.device != device) {
      wrong("a trial does not know its device");
    }
  }
  for (const auto& [round, where] : devices) {
    if (where.size() > 1) {
      wrong(fmt::format("round {} stands on several devices", round.first));
    }
  }
}

void FleetWorld::dispatch(const CampaignEvent& event) {
  ++report_.events;
  for (const CampaignAction& action : dispatcher_.handle(event, now_)) {
    carry_out(action);
  }
}

// ---- the coordinator's end and its new beginning ----

// What the run directory tells.
CampaignSettings FleetWorld::settings_after_restart() const {
  CampaignSettings settings = settings_of(plan_, seed_);
  for (const auto& [trial, device] : report_.recorded_on) {
    settings.finished[trial] = {dispatcher_.trial(trial)};
  }
  for (const auto& [trial, code] : report_.voids) {
    if (code != "agent_lost") {
      settings.finished[trial] = {dispatcher_.trial(trial), code == "build_failed"};
    }
  }
  settings.attempts_before = attempts_;
  for (const auto& [device, attempt] : on_device_) {
    if (!settings.finished.contains(attempt.trial)) {
      settings.unfinished[attempt.trial] = {
          coordinator::name_without_device(dispatcher_.trial(attempt.trial)),
          static_cast<std::uint32_t>(device)};
      --settings.attempts_before[attempt.trial];
    }
  }
  for (std::size_t device = 0; device < dispatcher_.device_count(); ++device) {
    settings.devices.push_back(dispatcher_.device(device));
  }
  return settings;
}

void FleetWorld::restart() {
  if (dispatcher_.finished()) {
    return;
  }
  note("the coordinator dies");
  ++lives_;
  collecting_.clear();
  builds_ = 0;
  uploads_.clear();
  CampaignSettings settings = settings_after_restart();
  std::erase_if(report_.voids, [](const auto& entry) { return entry.second == "agent_lost"; });
  std::erase_if(on_device_, [&](const auto& entry) {
    return !settings.unfinished.contains(entry.second.trial);
  });
  inherited_.clear();
  for (const auto& [device, attempt] : on_device_) {
    inherited_.insert(device);
  }
  report_.given_up.clear();  // each session tries all of them
  dispatcher_ = Dispatcher(std::move(settings), now_);
  dispatch(TurnChanged{!others_measure_});
  for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
    if (!agents_[agent].there) {
      continue;
    }
    after(between(1, 3000), [this, agent] {
      if (agents_[agent].there) {
        come(agent);
      }
    });
  }
}

// ---- agents ----

void FleetWorld::come(std::size_t at) {
  Agent& agent = agents_[at];
  agent.there = true;
  note(fmt::format("agent {} life {}", at, agent.life));
  dispatch(AgentReady{at, fmt::format("{}", agent.life), plan_.devices, machine_of(at)});
  tell_strays(at);
  keep_telling(at);
}

void FleetWorld::go(std::size_t at, Duration away, bool crashed) {
  Agent& agent = agents_[at];
  if (!agent.there) {
    return;
  }
  note(fmt::format("agent {} {} for {} ms", at, crashed ? "crashes" : "is away",
                   std::chrono::duration_cast<milliseconds>(away).count()));
  agent.there = false;
  ++agent.absences;
  if (crashed) {
    ++agent.life;
    begin_life(at);
  }
  if (away > kNotices) {
    after(kNotices, [this, at] { dispatch(AgentGone{at}); });
  }
  if (away > kGrace) {
    after(kGrace, [this, at, absences = agent.absences] {
      if (agents_[at].absences == absences && !agents_[at].there) {
        abandon_jobs(at);
      }
    });
  }
  after(away, [this, at] { come(at); });
}

// ---- actions ----

void FleetWorld::carry_out(const CampaignAction& action) {
  if (const auto* build = std::get_if<StartBuild>(&action)) {
    start_build(build->candidate);
  } else if (const auto* upload = std::get_if<StartUpload>(&action)) {
    start_upload(*upload);
  } else if (const auto* assignment = std::get_if<AssignAttempt>(&action)) {
    assign(*assignment);
  } else if (const auto* collection = std::get_if<CollectAttempt>(&action)) {
    collect(collection->attempt);
  } else if (const auto* release = std::get_if<ReleaseAttempt>(&action)) {
    release_device(release->attempt);
    send(release->attempt.agent, [this, attempt = release->attempt] { take_release(attempt); });
  } else if (const auto* cancel = std::get_if<CancelAttempt>(&action)) {
    send(cancel->attempt.agent, [this, attempt = cancel->attempt] { take_cancel(attempt); });
  } else if (const auto* discard = std::get_if<DiscardAttempt>(&action)) {
    note(fmt::format("discard {} {}", discard->attempt.trial, discard->attempt.number));
    ++report_.discarded;
    attempts_[discard->attempt.trial] =
        std::max(attempts_[discard->attempt.trial], discard->attempt.number);
    release_device(discard->attempt);
    report_.recorded_on.erase(discard->attempt.trial);
    report_.voids.erase(discard->attempt.trial);
  } else if (const auto* unrun = std::get_if<RecordVoid>(&action)) {
    note(fmt::format("void {} {}", unrun->trial, unrun->code));
    if (!report_.voids.emplace(unrun->trial, unrun->code).second) {
      wrong("a trial was voided twice");
    }
  } else if (const auto* device = std::get_if<GiveUpDevice>(&action)) {
    ++report_.given_up[device->device];
  } else if (const auto* lost = std::get_if<GiveUpAgent>(&action)) {
    std::erase_if(uploads_, [&](const auto& one) { return one.first == lost->agent; });
  } else if (std::holds_alternative<CheckFleet>(action)) {
    after(Duration::zero(), [this] { dispatch(FleetChecked{}); });
  } else if (const auto* finish = std::get_if<Finish>(&action)) {
    note("finish " + finish->why.text);
    report_.finish = *finish;
  }
}

// ---- who may disturb whom ----

std::string FleetWorld::machine_of(std::size_t agent) const {
  return fmt::format("machine {}", agent / plan_.agents_per_machine);
}

std::string FleetWorld::own_machine() const {
  return plan_.builds_on_first ? machine_of(0) : "build host";
}

bool FleetWorld::is_measuring(const std::string& machine) const {
  // A trial that an earlier session left is not known until its agent has all files again, which it
  // still has in all likelihood.
  return std::any_of(on_device_.begin(), on_device_.end(), [&](const auto& entry) {
    return !inherited_.contains(entry.first) && machine_of(entry.second.agent) == machine;
  });
}

bool FleetWorld::is_moving_files(const std::string& machine) const {
  const bool is_here = machine == own_machine();
  return (is_here && builds_ > 0) ||
         std::any_of(uploads_.begin(), uploads_.end(), [&](const auto& upload) {
           return agents_[upload.first].there && (is_here || machine_of(upload.first) == machine);
         });
}

void FleetWorld::start_build(std::size_t candidate) {
  if (is_measuring(own_machine()) || others_measure_) {
    wrong("a build starts where a trial runs");
  }
  ++builds_;
  after(between(10, 60'000), [this, candidate, life = lives_] {
    if (life != lives_) {
      return;
    }
    --builds_;
    if (candidate > 0 && chance(50)) {
      dispatch(BuildFailed{candidate, message("test.build", "no")});
    } else {
      dispatch(Built{candidate});
    }
  });
}

void FleetWorld::start_upload(const StartUpload& upload) {
  if (is_measuring(own_machine()) || is_measuring(machine_of(upload.agent)) || others_measure_) {
    wrong("a file is sent where a trial runs");
  }
  uploads_.emplace(upload.agent, upload.candidate);
  after(between(10, 20'000), [this, upload, life = lives_] {
    if (life != lives_) {
      return;
    }
    uploads_.erase({upload.agent, upload.candidate});
    if (agents_[upload.agent].disk_full) {
      dispatch(UploadFailed{upload.agent, upload.candidate, message("test.disk", "full")});
    } else {
      dispatch(Uploaded{upload.agent, upload.candidate});
    }
  });
}

void FleetWorld::assign(const AssignAttempt& action) {
  attempts_[action.attempt.trial] = action.attempt.number;
  inherited_.erase(action.device);
  const auto [place, is_new] = on_device_.try_emplace(action.device, action.attempt);
  if (is_new && is_moving_files(machine_of(action.attempt.agent))) {
    wrong("a trial starts where files are built or sent");
  }
  if (!is_new && !(place->second == action.attempt)) {
    wrong(fmt::format("device {} has two trials", action.device));
  }
  if (dispatcher_.device(action.device).agent != action.attempt.agent) {
    wrong("a trial is sent to another agent than its device's");
  }
  send(action.attempt.agent, [this, action] { take_assignment(action); });
}

void FleetWorld::collect(const Attempt& attempt) {
  collecting_.insert({attempt.trial, attempt.number});
  after(between(1, 500), [this, attempt, life = lives_] {
    if (agents_[attempt.agent].there && lives_ == life) {
      record(attempt);
    }
  });
}

void FleetWorld::release_device(const Attempt& attempt) {
  std::erase_if(on_device_, [&](const auto& entry) { return entry.second == attempt; });
}

void FleetWorld::record(const Attempt& attempt) {
  const auto found = std::find_if(on_device_.begin(), on_device_.end(),
                                  [&](const auto& entry) { return entry.second == attempt; });
  if (found == on_device_.end()) {
    return;  // it was lost meanwhile
  }
  note(fmt::format("record {} {} on {}", attempt.trial, attempt.number, found->first));
  if (!report_.recorded_on.emplace(attempt.trial, found->first).second) {
    wrong("a trial was recorded twice");
  }
  dispatch(AttemptRecorded{attempt});
}

}  // namespace mstune
