// How a trial that has its devices begins: the machine's turn, others on the devices, its files.
#include <cstdio>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "agent/server.h"
#include "common/error.h"
#include "common/os/clock.h"
#include "common/os/file.h"

namespace mstune::agent {
namespace {

namespace fs = std::filesystem;

// What was laid out for a trial that was over before.
void remove_late_directory(const fs::path& trial) {
  try {
    os::remove_tree(trial);
  } catch (const Error& error) {
    fmt::print(stderr, "mstune-agent: {}\n", error.what());
  }
}

}  // namespace

// Its devices are free of trials; somebody else may still be on them.
void Server::begin(TrialRunner& runner, std::vector<int> devices, TimePoint now) {
  turn_.keep_for(runner.key());
  devices_.leave_alone();
  runner.use_devices(devices, devices_.meters(devices));
  if (devices_.checks(runner.spec(), devices)) {
    devices_.wait_for(runner.key(), runner.spec(), std::move(devices), now);
  } else {
    start(runner, now);
  }
}

// Their devices may have been taken while they waited for the machine.
void Server::step_refused(TimePoint now) {
  for (const protocol::TrialKey& key : std::set(turn_.waiting())) {
    const auto found = runners_.find(key);
    if (found == runners_.end() || !found->second->job().queued()) {
      turn_.let_go(key);
    } else if (turn_.take_for(key)) {
      begin(*found->second, found->second->devices(), now);
    }
  }
}

void Server::step_devices(TimePoint now) {
  for (DeviceWatch::Verdict& verdict : devices_.step(now)) {
    const auto found = runners_.find(verdict.key);
    if (found == runners_.end() || !found->second->job().queued()) {
      devices_.forget(verdict.key);  // cancelled while it waited
      continue;
    }
    TrialRunner& runner = *found->second;
    if (verdict.what == GateAnswer::What::look) {  // somebody else is on its devices
      turn_.let_go(verdict.key);
    } else if (verdict.what == GateAnswer::What::give_up) {
      runner.handle(NotStarted{*verdict.tell, protocol::kCauseDeviceBusy}, now);
    } else if (!turn_.take_for(verdict.key)) {
      runner.handle(Noticed{message("agent.waits_for_turn",
                                    "its devices are free, and it waits for what is built on this "
                                    "machine or sent from it")},
                    now);
      send_reports(runner);
      continue;
    }
    if (verdict.tell && verdict.what != GateAnswer::What::give_up) {
      runner.handle(Noticed{*verdict.tell}, now);
    }
    if (verdict.what == GateAnswer::What::begin) {
      runner.use_verdict(std::move(verdict.locks),
                         devices_.foreign_check(runner.devices(), std::move(verdict.accepted)));
      start(runner, now);
    }
    send_reports(runner);
  }
}

void Server::start(TrialRunner& runner, TimePoint now) {
  runner.begin(now);
  if (runner.wants_files()) {
    lay_out(runner);
  }
  runner.step(now);
  send_reports(runner);
}

// The answer comes on this thread, later: the trial may be gone by then.
void Server::lay_out(TrialRunner& runner) {
  receiver_.lay_out(runner.om_directory(), runner.spec().files,
                    [this, key = runner.key(), trial = runner.om_directory().parent_path()](
                        const std::optional<Message>& failure) {
                      const auto found = runners_.find(key);
                      if (found != runners_.end()) {
                        found->second->on_laid_out(failure, os::steady_now());
                      } else {
                        remove_late_directory(trial);
                      }
                    });
}

}  // namespace mstune::agent
