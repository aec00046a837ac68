#include "agent/slots.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace mstune::agent {
namespace {

const std::string& party_of(const Slots::Trial& trial) {
  return trial.client.empty() ? trial.key.campaign : trial.client;
}

// A campaign's id is nobody else's business, so where clients have no names they stay nameless.
std::string name_of(const Slots::Trial& trial) {
  return trial.client.empty() ? std::string("a client without a key") : trial.client;
}

std::uint64_t seconds(Duration duration) {
  const auto count = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  return static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
}

}  // namespace

Slots::Slots(const std::vector<int>& devices) {
  for (const int device : devices) {
    slots_.push_back({device, std::nullopt});
  }
  if (slots_.empty()) {
    slots_.emplace_back();
  }
}

void Slots::wait(const protocol::TrialKey& key, const std::string& client, TimePoint now,
                 TimePoint until, std::vector<int> wanted) {
  waiting_.push_back({key, client, now, until, std::move(wanted)});
}

void Slots::stop_waiting(const protocol::TrialKey& key) {
  std::erase_if(waiting_, [&](const Trial& trial) { return trial.key == key; });
}

void Slots::release(const protocol::TrialKey& key, bool stuck) {
  stop_waiting(key);
  for (Slot& slot : slots_) {
    if (slot.holder && slot.holder->key == key) {
      slot.holder.reset();
      if (stuck) {
        slot.stuck = key;
      }
    }
  }
}

void Slots::recover(const protocol::TrialKey& key) {
  for (Slot& slot : slots_) {
    if (slot.stuck == key) {
      slot.stuck.reset();
    }
  }
}

bool Slots::wants(const Trial& trial, const Slot& slot) {
  return slot.device && std::count(trial.wanted.begin(), trial.wanted.end(), *slot.device) > 0;
}

bool Slots::offers(int device) const {
  return std::any_of(slots_.begin(), slots_.end(),
                     [device](const Slot& slot) { return slot.device == device && !slot.stuck; });
}

std::vector<protocol::TrialKey> Slots::hopeless() const {
  std::vector<protocol::TrialKey> keys;
  for (const Trial& trial : waiting_) {
    if (!std::all_of(trial.wanted.begin(), trial.wanted.end(),
                     [this](int device) { return offers(device); })) {
      keys.push_back(trial.key);
    }
  }
  return keys;
}

std::vector<std::size_t> Slots::free_for(const Trial& trial) const {
  std::vector<std::size_t> found;
  for (std::size_t place = 0; place < slots_.size(); ++place) {
    const Slot& slot = slots_[place];
    const bool fits = trial.wanted.empty() ? found.empty() : wants(trial, slot);
    if (fits && !slot.holder && !slot.stuck) {
      found.push_back(place);
    }
  }
  return found.size() < trial.wanted.size() ? std::vector<std::size_t>() : found;
}

bool Slots::can_give_out() const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [this](const Trial& trial) { return !free_for(trial).empty(); });
}

std::vector<Slots::Grant> Slots::give_out(TimePoint now) {
  const auto last_turn = [&](const Trial& trial) {
    const auto found = turns_.find(party_of(trial));
    return found == turns_.end() ? 0 : found->second;
  };
  std::vector<Grant> grants;
  for (;;) {
    auto next = waiting_.end();
    std::vector<std::size_t> places;
    for (auto place = waiting_.begin(); place != waiting_.end(); ++place) {
      if (next != waiting_.end() && last_turn(*place) >= last_turn(*next)) {
        continue;
      }
      if (std::vector<std::size_t> free = free_for(*place); !free.empty()) {
        next = place;
        places = std::move(free);
      }
    }
    if (next == waiting_.end()) {
      break;
    }
    turns_[party_of(*next)] = ++turn_;
    next->since = now;
    grants.push_back({next->key, {}});
    for (const std::size_t place : places) {
      slots_[place].holder = *next;
      if (slots_[place].device) {
        grants.back().devices.push_back(*slots_[place].device);
      }
    }
    waiting_.erase(next);
  }
  // Campaigns without keys come and go for ever; forgetting who had turns costs one round of them.
  constexpr std::size_t kTurnsKept = 1024;
  if (turns_.size() > kTurnsKept) {
    turns_.clear();
  }
  return grants;
}

std::string Slots::holders() const {
  std::set<std::string> names;
  for (const Slot& slot : slots_) {
    if (slot.holder) {
      names.insert(name_of(*slot.holder));
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string Slots::others_before(const protocol::TrialKey& key) const {
  const auto trial = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const Trial& each) { return each.key == key; });
  std::set<std::string> names;
  for (const Slot& slot : slots_) {
    const bool needed = trial != waiting_.end() && (trial->wanted.empty() || wants(*trial, slot));
    if (needed && slot.holder && slot.holder->key.campaign != key.campaign) {
      names.insert(name_of(*slot.holder));
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<protocol::DeviceCondition> Slots::conditions(TimePoint now) const {
  std::vector<protocol::DeviceCondition> conditions;
  for (const Slot& slot : slots_) {
    protocol::DeviceCondition condition;
    condition.device = slot.device.value_or(condition.device);
    condition.state = slot.stuck ? protocol::DeviceState::unusable : protocol::DeviceState::free;
    if (slot.holder) {
      condition.state = protocol::DeviceState::busy;
      condition.holder = name_of(*slot.holder);
      condition.trial = slot.holder->key.trial;
      condition.held_for_s = seconds(now - slot.holder->since);
    }
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

}  // namespace mstune::agent
