// The dispatcher's work: which trial runs on which device, and what becomes of it.
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "coordinator/dispatcher.h"

namespace mstune::coordinator {
namespace {

constexpr std::uint32_t kFailuresMax = 3;  // of a device, in a row, to start anything

}  // namespace

bool Dispatcher::in_flight(const TrialProgress& progress) const {
  return progress.state == TrialState::assigned || progress.state == TrialState::seen ||
         progress.state == TrialState::collecting;
}

Attempt Dispatcher::current(std::uint32_t trial) const {
  const TrialProgress& progress = trials_[trial];
  const auto& device = blocks_[progress.block].device;
  return {device ? devices_[*device].where.agent : 0, trial, progress.attempts};
}

bool Dispatcher::is_current(const Attempt& attempt) const {
  return attempt.trial < trials_.size() && in_flight(trials_[attempt.trial]) &&
         attempt == current(attempt.trial);
}

// Assignments that nobody would hear, or nobody wants any more, are not sent again.
void Dispatcher::stop_repeating(std::size_t agent) {
  for (const Device& device : devices_) {
    if (device.where.agent == agent && device.trial) {
      trials_[*device.trial].assign_again = kNever;
    }
  }
}

void Dispatcher::repeat_after(TrialProgress& progress, Duration wait, TimePoint now) const {
  const Device& device = devices_[*blocks_[progress.block].device];
  const bool heard = agents_[device.where.agent].state == AgentState::ready;
  progress.assign_again = heard && !interrupted_ ? after(now, wait) : kNever;
}

// ---- trials, blocks and devices that become known ----

// Trials from the number `first` on are new here; an earlier session may have made some of them.
void Dispatcher::add_trials(std::size_t first) {
  trials_.resize(settings_.trials.size());
  for (std::size_t i = first; i < trials_.size(); ++i) {
    const auto index = static_cast<std::uint32_t>(i);
    TrialProgress& trial = trials_[i];
    if (const auto before = settings_.attempts_before.find(index);
        before != settings_.attempts_before.end()) {
      trial.attempts_before = before->second;
      trial.attempts = before->second;
    }
    const auto saved = settings_.finished.find(index);
    if (saved != settings_.finished.end() &&
        is_same_trial(saved->second.trial, settings_.trials[i])) {
      trial.state = TrialState::done;
      trial.never_runs = saved->second.never_ran;
    } else {
      ++unfinished_;
    }
  }
  choose_builds(first);
}

// Consecutive trials of one round are a block.
void Dispatcher::add_blocks(std::size_t first) {
  const std::size_t first_block = blocks_.size();
  const auto same_round = [](const Trial& left, const Trial& right) {
    return left.repeat == right.repeat && left.device == right.device &&
           (left.purpose == Purpose::confirm) == (right.purpose == Purpose::confirm);
  };
  for (std::size_t at = first; at < settings_.trials.size(); ++at) {
    const Trial& trial = settings_.trials[at];
    if (at == first || !same_round(settings_.trials[at - 1], trial)) {
      Block block;
      block.first = static_cast<std::uint32_t>(at);
      blocks_.push_back(block);
    }
    trials_[at].block = blocks_.size() - 1;
    ++blocks_.back().count;
    blocks_.back().left += trials_[at].state == TrialState::done ? 0U : 1U;
  }
  take_up(first_block);
  for (std::size_t number = first_block; number < blocks_.size(); ++number) {
    const Block& block = blocks_[number];
    if (block.left == 0 || (block.device && devices_[*block.device].block == number)) {
      continue;
    }
    if (settings_.spread == Spread::replicate) {
      devices_[*settings_.trials[block.first].device].own_blocks.push_back(number);
    } else if (block.device) {
      open_blocks_.push_front(number);  // begun blocks stand before the untouched ones
    } else {
      open_blocks_.push_back(number);
    }
  }
}

void Dispatcher::register_devices(std::size_t at) {
  Agent& agent = agents_[at];
  if (agent.registered) {
    return;
  }
  agent.registered = true;
  for (std::size_t place = 0; place < agent.offered; ++place) {
    add_device({at, place});
  }
}

void Dispatcher::add_device(const CampaignDevice& where) {
  Device device;
  device.where = where;
  devices_.push_back(std::move(device));
  if (settings_.spread == Spread::replicate) {
    add_replica(devices_.size() - 1);
  }
}

// The trials of the settings are the first device's; each further one gets its own.
void Dispatcher::add_replica(std::size_t device) {
  const std::size_t first = device == 0 ? 0 : settings_.trials.size();
  if (device > 0) {
    for (std::size_t at = 0; at < base_trials_;) {
      std::size_t end = at;
      while (end < base_trials_ && settings_.trials[end].repeat == settings_.trials[at].repeat) {
        ++end;
      }
      std::vector<std::size_t> places(end - at);
      std::iota(places.begin(), places.end(), at);
      // Far from the numbers of real rounds, so that no device repeats another one's order.
      constexpr std::size_t kFarApart = 1'000'003;
      for (const std::size_t place :
           round_order(settings_.order, at + device * kFarApart, places)) {
        settings_.trials.push_back(settings_.trials[place]);
        settings_.trials.back().index = static_cast<std::uint32_t>(settings_.trials.size() - 1);
      }
      at = end;
    }
    add_trials(first);
  }
  for (std::size_t at = first; at < first + base_trials_; ++at) {
    settings_.trials[at].device = static_cast<std::uint32_t>(device);
  }
  add_blocks(first);
  for (std::size_t i = 0; i < builds_.size(); ++i) {
    if (builds_[i] == BuildState::failed) {
      void_candidate(i, first, message("trial.not_built", "its build failed"));
    }
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
  const std::size_t known = settings_.trials.size();
  settings_.trials.insert(settings_.trials.end(), event.trials.begin(), event.trials.end());
  builds_.resize(settings_.candidates.size(), BuildState::left_out);
  add_trials(known);
  add_blocks(known);
}

// ---- who runs what ----

bool Dispatcher::usable(const Device& device) const {
  const Agent& agent = agents_[device.where.agent];
  return !device.given_up && agent.state == AgentState::ready &&
         (!settings_.offline || agent.has_files || settings_.pipeline);
}

bool Dispatcher::has_files_of(std::size_t at, std::uint32_t trial) const {
  const Agent& agent = agents_[at];
  if (!settings_.offline || agent.has_files) {
    return true;
  }
  const std::size_t place = place_of(settings_.candidates, settings_.trials[trial].candidate);
  return place < agent.uploads.size() && agent.uploads[place] == UploadState::uploaded;
}

void Dispatcher::proceed_with_trials(TimePoint now) {
  for (std::size_t at = 0; at < devices_.size(); ++at) {
    const Device& device = devices_[at];
    if (device.trial) {
      TrialProgress& progress = trials_[*device.trial];
      if (now >= progress.assign_again && agents_[device.where.agent].state == AgentState::ready) {
        progress.assign_again = after(now, kAssignAgain);
        actions_.emplace_back(AssignAttempt{current(*device.trial), at});
      }
    } else if (usable(device) && !moving_machines_.contains(agents_[device.where.agent].machine)) {
      if (const auto trial = next_trial(at)) {
        assign(at, *trial, now);
      }
    }
  }
}

std::optional<std::uint32_t> Dispatcher::next_trial(std::size_t at) {
  Device& device = devices_[at];
  const auto left = std::exchange(device.left, std::nullopt);
  if (left && trials_[*left].state == TrialState::waiting) {
    return left;
  }
  while (device.block || take_block(at)) {
    const Block& block = blocks_[*device.block];
    bool is_left = false;
    for (std::uint32_t trial = block.first; trial < block.first + block.count; ++trial) {
      if (trials_[trial].state != TrialState::waiting) {
        continue;
      }
      if (has_files_of(device.where.agent, trial)) {
        return trial;
      }
      is_left = true;
    }
    if (is_left) {
      return std::nullopt;
    }
    device.block.reset();  // all done
  }
  return std::nullopt;
}

// A block that this device has begun, else the next one that it may take.
bool Dispatcher::take_block(std::size_t at) {
  Device& device = devices_[at];
  if (settings_.spread == Spread::replicate) {
    if (device.own_blocks.empty()) {
      return false;
    }
    device.block = device.own_blocks.front();
    device.own_blocks.pop_front();
    blocks_[*device.block].device = at;
    return true;
  }
  const bool alone = std::none_of(devices_.begin(), devices_.end(), [&](const Device& other) {
    return &other != &device && usable(other);
  });
  auto chosen = open_blocks_.end();
  for (auto place = open_blocks_.begin(); place != open_blocks_.end(); ++place) {
    const Block& block = blocks_[*place];
    const bool begun_here = block.device == at && block.avoid != at;
    if (begun_here || (chosen == open_blocks_.end() && (block.avoid != at || alone))) {
      chosen = place;
    }
    if (begun_here || (!block.device && !block.avoid)) {
      break;  // those that were put back stand before the untouched ones
    }
  }
  if (chosen == open_blocks_.end()) {
    return false;
  }
  device.block = *chosen;
  open_blocks_.erase(chosen);
  Block& block = blocks_[*device.block];
  if (has_fleet() && block.device != at && block.left < block.count) {
    begin_anew(block);
  }
  block.device = at;
  block.avoid.reset();
  return true;
}

// What ran elsewhere is no baseline here.
void Dispatcher::begin_anew(Block& block) {
  for (std::uint32_t trial = block.first; trial < block.first + block.count; ++trial) {
    TrialProgress& progress = trials_[trial];
    if (progress.state == TrialState::done && !progress.never_runs) {
      run_anew(trial);
    }
  }
}

void Dispatcher::run_anew(std::uint32_t trial) {
  trials_[trial].state = TrialState::waiting;
  ++unfinished_;
  ++blocks_[trials_[trial].block].left;
  actions_.emplace_back(DiscardAttempt{
      current(trial),
      message("trial.round_moved", "its round moved to another device and is run anew there")});
}

void Dispatcher::put_back(std::size_t at) {
  Device& device = devices_[at];
  if (device.block && settings_.spread == Spread::share) {
    abandon_left(at);
    open_blocks_.push_front(*device.block);
    device.block.reset();
  }
}

void Dispatcher::assign(std::size_t at, std::uint32_t trial, TimePoint now) {
  TrialProgress& progress = trials_[trial];
  progress.state = TrialState::assigned;
  progress.runs = false;
  ++progress.attempts;
  ++in_flight_;
  devices_[at].trial = trial;
  if (has_fleet()) {
    settings_.trials[trial].device = static_cast<std::uint32_t>(at);
  }
  progress.assign_again = after(now, kAssignAgain);
  expect_end(trial, now);
  actions_.emplace_back(AssignAttempt{current(trial), at});
}

// ---- what became of it ----

// A release or a cancel that was lost on the way would keep the agent's device for ever.
void Dispatcher::on(const StrayReported& event, TimePoint /*now*/) {
  if (is_current(event.attempt) || waits_for_left(event.attempt)) {
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
  const std::uint32_t trial = event.attempt.trial;
  TrialProgress& progress = trials_[trial];
  const bool elsewhere = event.trouble == Trouble::device_busy ||
                         (event.trouble == Trouble::not_started && has_fleet());
  if (interrupted_) {
    land(trial);
    set_done(trial);
    actions_.emplace_back(DiscardAttempt{
        event.attempt, message("trial.interrupted", "it was cancelled by an interrupt")});
    actions_.emplace_back(ReleaseAttempt{event.attempt});
  } else if (!event.program_at_fault) {
    lose(trial, "agent_lost", lost_text(trial));
    actions_.emplace_back(ReleaseAttempt{event.attempt});
  } else if (event.trouble == Trouble::disturbed) {
    lose(trial, "foreign_process", event.why);
    actions_.emplace_back(ReleaseAttempt{event.attempt});
  } else if (elsewhere) {
    suffer(event);
    actions_.emplace_back(ReleaseAttempt{event.attempt});
  } else {
    progress.state = TrialState::collecting;
    repeat_after(progress, kUnheardMax, now);
    expect_end(trial, now);
    actions_.emplace_back(CollectAttempt{event.attempt});
  }
}

void Dispatcher::on(const AttemptLost& event, TimePoint /*now*/) {
  if (is_current(event.attempt)) {
    lose(event.attempt.trial, "agent_lost", lost_text(event.attempt.trial));
  }
}

void Dispatcher::on(const AttemptRecorded& event, TimePoint /*now*/) {
  if (is_current(event.attempt)) {
    Device& device = devices_[*blocks_[trials_[event.attempt.trial].block].device];
    device.failures = 0;
    device.overdue = 0;
    land(event.attempt.trial);
    set_done(event.attempt.trial);
    actions_.emplace_back(ReleaseAttempt{event.attempt});
  }
}

// It is in nobody's hands any more.
void Dispatcher::land(std::uint32_t trial) {
  if (in_flight(trials_[trial])) {
    --in_flight_;
    devices_[*blocks_[trials_[trial].block].device].trial.reset();
    files_changed_ = files_changed_ || files_held_;
  }
  trials_[trial].assign_again = kNever;
}

void Dispatcher::set_done(std::uint32_t trial) {
  trials_[trial].state = TrialState::done;
  --unfinished_;
  if (trials_[trial].block < blocks_.size()) {
    --blocks_[trials_[trial].block].left;
  }
}

void Dispatcher::make_void(std::uint32_t trial, std::string_view code, const Message& why) {
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    if (devices_[device].left == trial) {
      abandon_left(device);
    }
  }
  set_done(trial);
  actions_.emplace_back(RecordVoid{trial, std::string(code), why});
}

Message Dispatcher::lost_text(std::uint32_t trial) const {
  const TrialProgress& progress = trials_[trial];
  return message("trial.agent_lost",
                 "the agent was lost while it ran this trial (attempt {} of {})",
                 progress.attempts_before + progress.losses + 1,
                 progress.attempts_before + settings_.attempts_max);
}

// The attempt is gone and not by the program's fault: again, while attempts are left.
void Dispatcher::lose(std::uint32_t trial, std::string_view code, const Message& why) {
  TrialProgress& progress = trials_[trial];
  actions_.emplace_back(DiscardAttempt{current(trial), why});
  land(trial);
  progress.state = TrialState::waiting;
  if (++progress.losses >= settings_.attempts_max) {
    make_void(trial, code, why);
  }
}

// The agent has been away for too long: others may take what it worked at.
void Dispatcher::lose_attempts_on(std::size_t agent) {
  for (std::size_t at = 0; at < devices_.size(); ++at) {
    if (devices_[at].where.agent == agent) {
      if (const auto trial = devices_[at].trial) {
        lose(*trial, "agent_lost", lost_text(*trial));
      }
      put_back(at);
    }
  }
}

// A trial did not start on its device: it is tried elsewhere, and a device on which nothing starts
// is given up.
void Dispatcher::suffer(const AttemptExited& event) {
  const std::uint32_t trial = event.attempt.trial;
  const bool busy = event.trouble == Trouble::device_busy;
  Block& block = blocks_[trials_[trial].block];
  const std::size_t at = *block.device;
  last_trouble_ = event.why;
  lose(trial, busy ? "device_busy" : "not_started", event.why);
  block.avoid = at;
  put_back(at);
  if (busy || ++devices_[at].failures >= kFailuresMax) {
    give_up_device(at, event.why);
  }
}

void Dispatcher::give_up_device(std::size_t at, const Message& why) {
  devices_[at].given_up = true;
  actions_.emplace_back(GiveUpDevice{at, why});
  drop_work(at, why);
}

// Of a device that is given up: where each device runs everything, nobody else can run its part.
void Dispatcher::drop_work(std::size_t at, const Message& why) {
  Device& device = devices_[at];
  abandon_left(at);
  put_back(at);
  if (settings_.spread == Spread::share) {
    return;
  }
  if (device.block) {
    device.own_blocks.push_front(*device.block);
    device.block.reset();
  }
  for (const std::size_t number : device.own_blocks) {
    const Block& block = blocks_[number];
    for (std::uint32_t trial = block.first; trial < block.first + block.count; ++trial) {
      if (trials_[trial].state == TrialState::waiting) {
        make_void(trial, "agent_lost", why);
      }
    }
  }
  device.own_blocks.clear();
}

}  // namespace mstune::coordinator
