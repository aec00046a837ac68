// The agents of a simulated fleet, as they see the campaign: what they are told, late or never, and
// what runs on their devices. What agent/desk and agent/job decide is followed here.
#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "tests/sim/fleet_world.h"

namespace mstune {
namespace {

using namespace coordinator;  // NOLINT(google-build-using-namespace): events and actions
using std::chrono::seconds;

constexpr seconds kTellsEvery{2};
constexpr std::int64_t kLateMsMax = 90'000;  // beyond every grace time

}  // namespace

void FleetWorld::begin_life(std::size_t at) {
  Agent& agent = agents_[at];
  std::vector<int> places(plan_.devices);
  std::iota(places.begin(), places.end(), 0);
  agent.slots = agent::Slots(places);
  agent.jobs.clear();
  agent.released.clear();
  agent.programs.clear();  // what a former life left is ended before the agent listens
}

protocol::TrialKey FleetWorld::slot_key(std::size_t at, const Key& key) const {
  return {"campaign", key.first, key.second, fmt::format("{}", agents_[at].life)};
}

// To this life of the agent: another one is told of another instance, and passes it over.
void FleetWorld::send(std::size_t at, std::function<void()> deliver) {
  if (!agents_[at].there || chance(lost_permille_)) {
    return;
  }
  if (!chance(lost_permille_)) {
    deliver();
    return;
  }
  after(between(1, kLateMsMax), [this, at, life = agents_[at].life, deliver = std::move(deliver)] {
    if (agents_[at].there && agents_[at].life == life) {
      deliver();
    }
  });
}

void FleetWorld::take_assignment(const AssignAttempt& action) {
  const Attempt& attempt = action.attempt;
  const Key key{attempt.trial, attempt.number};
  Agent& agent = agents_[attempt.agent];
  if (agent.released.contains(key)) {
    after(between(1, 50), [this, attempt] { dispatch(AttemptLost{attempt}); });
    return;
  }
  after(between(1, 50), [this, attempt] { dispatch(AttemptSeen{attempt}); });
  const auto known = agent.jobs.find(key);
  if (known != agent.jobs.end()) {
    if (collecting_.contains(key)) {
      collect(attempt);  // the session asks for the files again
    } else if (known->second.state == Job::State::ended) {
      after(between(51, 60), [this, exited = known->second.exited] { dispatch(exited); });
    }
    return;
  }
  note(fmt::format("queue {} {} on {}", attempt.trial, attempt.number, action.device));
  agent.jobs.emplace(key, Job{action});
  agent.slots.wait(slot_key(attempt.agent, key), {}, now_, kNever,
                   {static_cast<int>(dispatcher_.device(action.device).place)});
  give_out(attempt.agent);
  report_.queued += agent.jobs.at(key).state == Job::State::queued ? 1U : 0U;
  keep_telling(attempt.agent);
}

void FleetWorld::take_cancel(const Attempt& attempt) {
  const Key key{attempt.trial, attempt.number};
  Agent& agent = agents_[attempt.agent];
  const auto found = agent.jobs.find(key);
  if (found == agent.jobs.end()) {
    return;
  }
  if (found->second.state == Job::State::queued) {
    agent.slots.stop_waiting(slot_key(attempt.agent, key));
    end(attempt.agent, key, {attempt});
  } else {
    after(between(1, 500), [this, attempt, key, life = agent.life] {
      if (agents_[attempt.agent].life == life) {
        end(attempt.agent, key, {attempt});
      }
    });
  }
}

void FleetWorld::take_release(const Attempt& attempt) {
  const Key key{attempt.trial, attempt.number};
  Agent& agent = agents_[attempt.agent];
  const auto found = agent.jobs.find(key);
  if (found != agent.jobs.end() && found->second.state == Job::State::ended) {
    agent.jobs.erase(found);
    agent.released.insert(key);
    agent.slots.release(slot_key(attempt.agent, key), false);
    give_out(attempt.agent);
  }
}

void FleetWorld::give_out(std::size_t at) {
  for (const agent::Slots::Grant& grant : agents_[at].slots.give_out(now_)) {
    run_program(at, {grant.key.trial, grant.key.attempt},
                static_cast<std::size_t>(grant.devices.at(0)));
  }
}

void FleetWorld::run_program(std::size_t at, const Key& key, std::size_t place) {
  Agent& agent = agents_[at];
  Job& job = agent.jobs.at(key);
  note(fmt::format("begin {} {} on {}", key.first, key.second, job.assigned.device));
  if (!agent.programs.emplace(place, key).second) {
    wrong(fmt::format("agent {} runs two programs on its device {}", at, place));
  }
  job.state = Job::State::running;
  ++report_.begun;
  AttemptExited exited{job.assigned.attempt};
  if (agent.busy_places.contains(place)) {
    exited.trouble = Trouble::device_busy;
    exited.why = message("test.busy", "busy");
  } else if (agent.nothing_starts) {
    exited.trouble = Trouble::not_started;
    exited.why = message("test.wrong", "wrong CANN");
  }
  after(agent.slowness * between(500, 8000), [this, at, key, exited, life = agent.life] {
    if (agents_[at].life == life) {
      end(at, key, exited);
    }
  });
}

// Where the coordinator cannot hear that now, it hears it when the agent is back.
void FleetWorld::end(std::size_t at, const Key& key, const AttemptExited& exited) {
  Agent& agent = agents_[at];
  const auto found = agent.jobs.find(key);
  if (found == agent.jobs.end() || found->second.state == Job::State::ended) {
    return;
  }
  found->second.state = Job::State::ended;
  found->second.exited = exited;
  std::erase_if(agent.programs, [&](const auto& program) { return program.second == key; });
  if (agent.there) {
    dispatch(exited);
  }
}

// Its coordinator was away for too long.
void FleetWorld::abandon_jobs(std::size_t at) {
  Agent& agent = agents_[at];
  for (const auto& [key, job] : std::exchange(agent.jobs, {})) {
    agent.released.insert(key);
    agent.slots.release(slot_key(at, key), false);
  }
  agent.programs.clear();
}

// Whether the session waits for it: a new one does not before it has assigned it anew.
bool FleetWorld::is_awaited(const AssignAttempt& assigned) const {
  const auto found = on_device_.find(assigned.device);
  return found != on_device_.end() && found->second == assigned.attempt &&
         !inherited_.contains(assigned.device);
}

void FleetWorld::tell_strays(std::size_t at) {
  for (const auto& [key, job] : std::map(agents_[at].jobs)) {
    if (!is_awaited(job.assigned) && !chance(lost_permille_)) {
      dispatch(StrayReported{job.assigned.attempt, job.state == Job::State::ended});
    }
  }
}

void FleetWorld::keep_telling(std::size_t at) {
  Agent& agent = agents_[at];
  if (agent.tells || !agent.there || agent.jobs.empty()) {
    return;
  }
  agent.tells = true;
  after(kTellsEvery, [this, at] {
    agents_[at].tells = false;
    if (agents_[at].there) {
      tell_strays(at);
      keep_telling(at);
    }
  });
}

}  // namespace mstune
