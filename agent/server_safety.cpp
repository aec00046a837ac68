// What keeps the agent alive and its box its owner's: strangers' connections, keys that were taken
// off the list, and work that the system refuses.
#include <chrono>
#include <cstdio>
#include <utility>

#include "agent/server.h"
#include "common/language.h"
#include "common/os/clock.h"

namespace mstune::agent {

void Server::tell_refused(const std::string& why) {
  const TimePoint now = os::steady_now();
  if (now >= tell_refused_at_) {
    tell_refused_at_ = after(now, std::chrono::seconds(1));
    fmt::print(stderr, "mstune-agent: {}\n",
               said(message("agent.work_refused",
                            "something could not be done, and is tried again "
                            "where it matters: {}",
                            why)));
  }
}

void Server::look_at_connections() {
  while (auto event = socket_.next_accept_event()) {
    if (event->open) {
      half_open_.accepted({event->descriptor, std::move(event->peer)});
    } else {
      half_open_.closed(event->descriptor);
    }
  }
  for (const SilentConnection& connection : half_open_.take_too_many()) {
    os::shut_down(connection.descriptor, connection.peer);
  }
}

void Server::tell_who_was_taken_off(TimePoint now) {
  if (!gate_) {
    return;
  }
  if (desk_.trials() > 0) {
    gate_->look_again(now);
  }
  if (Gate::TakenOff gone = gate_->take_taken_off(); !gone.keys.empty()) {
    tell_desk(desk::KeysTakenOff{std::move(gone.keys), std::move(gone.clients)}, now);
  }
}

// A trial to which something was refused rests, so that the loop does not turn without pause.
void Server::step_trials(TimePoint now) {
  constexpr Duration kRest = std::chrono::milliseconds(100);
  for (const auto& [key, runner] : runners_) {
    const auto resting = resting_.find(key);
    if (resting != resting_.end() && now < resting->second) {
      continue;
    }
    if (get_done([&, &one = *runner] { step_trial(one, now); })) {
      resting_.erase(key);
    } else {
      resting_[key] = after(now, kRest);
    }
  }
  get_done([&] { forget_finished(now); });
}

void Server::step_trial(TrialRunner& runner, TimePoint now) {
  runner.step(now);
  devices_.note(runner.take_readings(), now);
  if (runner.job().has_ended()) {
    turn_.let_go(runner.key());
  }
  send_reports(runner);
}

}  // namespace mstune::agent
