// The server's trials: who waits, who gets which devices, what they report.
#include <algorithm>
#include <utility>

#include "agent/server.h"

namespace mstune::agent {

namespace {

constexpr std::size_t kReleasedKept = 256;

}  // namespace

// In their order, but who waits for certain devices stops nobody who wants others.
void Server::begin_queued(TimePoint now) {
  for (auto place = queue_.begin(); place != queue_.end();) {
    const auto found = runners_.find(*place);
    const bool waits = found != runners_.end() && found->second->job().queued();
    if (!waits || give_devices(*place, *found->second, now)) {
      place = queue_.erase(place);  // cancelled while it waited, or no longer waiting
    } else {
      ++place;
    }
  }
}

// False: what it wants is taken.
bool Server::give_devices(const protocol::TrialKey& key, TrialRunner& runner, TimePoint now) {
  const auto& wanted = runner.spec().devices;
  std::vector<Slot*> given;
  bool unusable = false;
  for (Slot& slot : slots_) {
    const bool fits = wanted.empty() ? given.empty() && !slot.unusable
                                     : slot.device && std::find(wanted.begin(), wanted.end(),
                                                                *slot.device) != wanted.end();
    unusable = unusable || (fits && slot.unusable);
    if (fits && (!slot.holder || !wanted.empty())) {
      given.push_back(&slot);
    }
  }
  if (unusable || given.size() < wanted.size()) {
    runner.handle(NotStarted{message("agent.device_not_usable",
                                     "this agent does not offer all of the devices {}, or a "
                                     "process on them cannot be killed",
                                     fmt::format("{}", fmt::join(wanted, ", "))),
                             protocol::kCauseDeviceBusy},
                  now);
    send_reports(runner);
    return true;
  }
  if (given.empty() || std::any_of(given.begin(), given.end(),
                                   [](const Slot* slot) { return slot->holder.has_value(); })) {
    return false;
  }
  std::vector<int> devices;
  for (Slot* slot : given) {
    slot->holder = key;
    if (slot->device) {
      devices.push_back(*slot->device);
    }
  }
  runner.use_devices(devices);
  if (devices_.checks(runner.spec(), devices)) {
    devices_.wait_for(key, std::move(devices), now);
  } else {
    begin(runner, now);
  }
  return true;
}

void Server::begin(TrialRunner& runner, TimePoint now) {
  runner.begin(now);
  if (runner.wants_files()) {
    lay_out(runner);
  }
  runner.step(now);
  send_reports(runner);
}

void Server::step_devices(TimePoint now) {
  for (DeviceWatch::Verdict& verdict : devices_.step(now)) {
    const auto found = runners_.find(verdict.key);
    if (found == runners_.end() || !found->second->job().queued()) {
      devices_.forget(verdict.key);  // cancelled while it waited
      continue;
    }
    TrialRunner& runner = *found->second;
    if (verdict.what == GateAnswer::What::give_up) {
      runner.handle(NotStarted{*verdict.tell, protocol::kCauseDeviceBusy}, now);
    } else if (verdict.tell) {
      runner.handle(Noticed{*verdict.tell}, now);
    }
    if (verdict.what == GateAnswer::What::begin) {
      begin(runner, now);
    }
    send_reports(runner);
  }
}

// The answer comes on this thread, later: the trial may be gone by then.
void Server::lay_out(TrialRunner& runner) {
  receiver_.lay_out(runner.om_directory(), runner.spec().files,
                    [this, key = runner.key()](const std::optional<Message>& failure) {
                      const auto found = runners_.find(key);
                      if (found != runners_.end()) {
                        found->second->on_laid_out(failure, std::chrono::steady_clock::now());
                      }
                    });
}

void Server::step_files(TimePoint now) {
  receiver_.tick(now);
  receiver_.drain(now);
  for (const auto& [number, report] : receiver_.take_reports()) {
    const auto session = std::find_if(
        sessions_.begin(), sessions_.end(),
        [&, wanted = number](const auto& entry) { return entry.second.number == wanted; });
    if (session != sessions_.end()) {
      send(session->second.peer, report);
    }
  }
}

void Server::step_trials(TimePoint now) {
  for (auto place = runners_.begin(); place != runners_.end();) {
    TrialRunner& runner = *place->second;
    runner.step(now);
    send_reports(runner);
    if (!runner.job().finished()) {
      ++place;
      continue;
    }
    for (Slot& slot : slots_) {
      if (slot.holder == place->first) {
        slot.holder.reset();
        slot.unusable = slot.unusable || runner.is_stuck();
      }
    }
    devices_.forget(place->first);
    receiver_.unpin(runner.spec().files);
    released_.push_back(place->first);
    if (released_.size() > kReleasedKept) {
      released_.pop_front();
    }
    place = runners_.erase(place);
  }
}

void Server::send_reports(TrialRunner& runner) {
  const auto session = sessions_.find(runner.key().campaign);
  for (OutgoingReport& outgoing : runner.take_reports()) {
    if (session != sessions_.end()) {
      send(session->second.peer, outgoing.report, std::move(outgoing.payload));
    }
  }
}

}  // namespace mstune::agent
