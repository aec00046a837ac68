#include "agent/device_watch.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "agent/device_mask.h"
#include "common/error.h"

namespace mstune::agent {
namespace {

constexpr Duration kRefreshPeriod = std::chrono::seconds(1);
constexpr Duration kUsersMax = std::chrono::seconds(5);  // who asks how the agent is waits for that

std::vector<int> ids_of(const std::vector<Chip>& chips) {
  std::vector<int> ids;
  for (const Chip& chip : chips) {
    ids.push_back(chip.logic_id);
  }
  return ids;
}

std::string ids_text(const std::vector<Chip>& chips) {
  return fmt::format("{}", fmt::join(ids_of(chips), ", "));
}

Message no_device_listed() {
  return message("agent.npu_smi_lists_none", "npu-smi info -m lists no device");
}

const Chip* chip_of(const std::vector<Chip>& chips, int device) {
  const auto found = std::find_if(chips.begin(), chips.end(),
                                  [&](const Chip& chip) { return chip.logic_id == device; });
  return found == chips.end() ? nullptr : &*found;
}

}  // namespace

DeviceWatch::DeviceWatch(Options options, Environment environment)
    : options_(std::move(options)),
      environment_(std::move(environment)),
      box_(options_.look ? look_at_chips(environment_) : ChipFacts{}),
      looks_(environment_) {
  const bool masked = device_mask(environment_).has_value();
  if (options_.find && box_.chips.empty() && !masked) {
    throw environment_error("agent.no_devices",
                            "--devices auto: no device was found: {}; name them, as in 0-7",
                            box_.unknown ? *box_.unknown : no_device_listed());
  }
  options_.devices =
      devices_in_mask(options_.devices, options_.find, ids_of(box_.chips), environment_);
  for (const int device : options_.devices) {
    if (!box_.chips.empty() && chip_of(box_.chips, device) == nullptr) {
      throw environment_error("agent.no_such_device",
                              "--devices: there is no device {} here; npu-smi knows: {}", device,
                              ids_text(box_.chips));
    }
  }
  offer_ = os::offer_devices(options_.lock_directory, options_.devices);
}

std::vector<std::string> DeviceWatch::chips() const {
  std::vector<std::string> names;
  for (const int device : options_.devices) {
    if (const Chip* chip = chip_of(box_.chips, device)) {
      names.push_back(chip->name);
    }
  }
  if (options_.devices.empty()) {
    std::set<std::string> of_box;
    for (const Chip& chip : box_.chips) {
      of_box.insert(chip.name);
    }
    names.assign(of_box.begin(), of_box.end());
  }
  return names;
}

std::vector<Message> DeviceWatch::notices() const {
  std::vector<Message> notices;
  if (!offer_.shared.empty()) {
    notices.push_back(message("agent.offered_twice",
                              "another agent of this machine offers {} as well: trials on it take "
                              "turns",
                              devices_text(offer_.shared)));
  }
  if (!options_.devices.empty() && box_.chips.empty()) {
    notices.push_back(message("agent.users_not_checked",
                              "whether somebody else uses a device is not checked: {}",
                              box_.unknown ? *box_.unknown : no_device_listed()));
  }
  return notices;
}

bool DeviceWatch::checks(const protocol::TrialSpec& spec, const std::vector<int>& devices) const {
  return !spec.ignore_busy && !devices.empty();
}

void DeviceWatch::wait_for(const protocol::TrialKey& key, const protocol::TrialSpec& spec,
                           std::vector<int> devices, TimePoint now) {
  constexpr std::uint64_t kMostMs = std::uint64_t{1000} * 3600 * 24 * 365;
  const std::chrono::milliseconds own_wait(std::min(spec.wait_timeout_ms, kMostMs));
  gates_.insert_or_assign(key, DeviceGate(std::move(devices), now, own_wait));
  ask_again_ = now;
}

Meters DeviceWatch::meters(const std::vector<int>& devices) const {
  Meters meters{{}, environment_};
  for (const int device : devices) {
    if (const Chip* chip = chip_of(box_.chips, device)) {
      meters.chips.push_back(*chip);
    }
  }
  return meters;
}

ForeignCheck DeviceWatch::foreign_check(const std::vector<int>& devices,
                                        std::vector<DeviceUser> accepted) const {
  if (box_.chips.empty()) {
    return {};
  }
  return {devices, box_.chips, std::move(accepted), options_.rules.context_memory_mb, environment_};
}

void DeviceWatch::note(const std::vector<protocol::DeviceReading>& readings, TimePoint now) {
  for (const protocol::DeviceReading& reading : readings) {
    known_[reading.device] = {reading, now};
  }
}

bool DeviceWatch::refresh(TimePoint now) {
  if (!refreshing_) {
    if (refreshed_ && now < after(*refreshed_, kRefreshPeriod)) {
      return true;
    }
    refreshing_.emplace(meters(options_.devices), now);
    refresh_begun_ = now;
    if (!options_.devices.empty() && !box_.chips.empty()) {
      looks_.ask(now);
    }
  }
  const bool are_read = refreshing_->step(now);
  looks_.step(now);
  const bool is_looking = looks_.deadline() != kNever;
  if (!are_read || (is_looking && now < after(refresh_begun_, kUsersMax))) {
    return false;
  }
  note(refreshing_->readings(), now);
  users_.clear();
  if (const auto& look = looks_.last(); look && look->begun >= refresh_begun_ && look->users) {
    users_ = *look->users;
  }
  refreshing_.reset();
  refreshed_ = now;
  return true;
}

void DeviceWatch::leave_alone() {
  if (refreshing_ && gates_.empty()) {
    looks_.cancel();
  }
  refreshing_.reset();
  users_.clear();
  refreshed_.reset();
}

void DeviceWatch::describe(std::vector<protocol::DeviceCondition>& devices, TimePoint now) const {
  for (protocol::DeviceCondition& device : devices) {
    if (const Chip* chip = chip_of(box_.chips, device.device)) {
      device.chip = chip->name;
    }
    if (const auto found = known_.find(device.device); found != known_.end()) {
      device.reading = found->second.reading;
      device.read_ago_s = static_cast<std::uint64_t>(
          std::chrono::duration_cast<std::chrono::seconds>(now - found->second.at).count());
    }
    const auto users = users_of({device.device}, box_.chips, users_);
    if (device.state == protocol::DeviceState::free && !users.empty()) {
      const DeviceUser& user = users.front();
      device.user = {user.pid, user.name, user.memory_mb.value_or(0)};
    }
  }
}

std::vector<int> DeviceWatch::descriptors() const {
  std::vector<int> descriptors = looks_.descriptors();
  if (refreshing_) {
    const std::vector<int> more = refreshing_->descriptors();
    descriptors.insert(descriptors.end(), more.begin(), more.end());
  }
  return descriptors;
}

TimePoint DeviceWatch::deadline() const {
  const TimePoint looks = std::min(looks_.deadline(), ask_again_);
  if (!refreshing_) {
    return looks;
  }
  return std::min({looks, refreshing_->deadline(), after(refresh_begun_, kUsersMax)});
}

void DeviceWatch::watch_gates() {
  std::set<ChipPlace> places;
  for (const auto& [key, gate] : gates_) {
    for (const int device : gate.devices()) {
      if (const Chip* chip = chip_of(box_.chips, device)) {
        places.insert(chip->place);
      }
    }
  }
  looks_.watch(std::move(places), options_.rules.context_memory_mb);
}

// Who is free of others is another agent's perhaps: asked last, so that it is not held in vain.
GateAnswer DeviceWatch::ask(DeviceGate& gate, std::vector<os::UniqueFd>& locks, TimePoint now) {
  GateAnswer answer;
  if (!box_.chips.empty()) {
    answer = gate.ask(options_.rules, box_.chips, looks_.last(), now);
    if (answer.what == GateAnswer::What::look) {
      looks_.ask(answer.look_at);
    }
  }
  if (answer.what != GateAnswer::What::begin) {
    return answer;
  }
  os::DeviceHold hold = os::hold_devices(options_.lock_directory, gate.devices());
  locks = std::move(hold.locks);
  if (!hold.held_by.empty()) {
    answer = gate.ask_held(options_.rules, hold.held_by, now);
    ask_again_ = std::min(ask_again_, answer.look_at);
  }
  return answer;
}

std::vector<DeviceWatch::Verdict> DeviceWatch::step(TimePoint now) {
  watch_gates();
  looks_.step(now);
  if (now >= ask_again_) {
    ask_again_ = kNever;
  }
  std::vector<Verdict> verdicts;
  for (auto place = gates_.begin(); place != gates_.end();) {
    Verdict verdict;
    verdict.key = place->first;
    GateAnswer answer = ask(place->second, verdict.locks, now);
    const bool decided = answer.what != GateAnswer::What::look;
    if (decided || answer.tell) {
      verdict.what = answer.what;
      verdict.tell = std::move(answer.tell);
      verdict.accepted = std::move(answer.accepted);
      verdicts.push_back(std::move(verdict));
    }
    place = decided ? gates_.erase(place) : std::next(place);
  }
  return verdicts;
}

}  // namespace mstune::agent
