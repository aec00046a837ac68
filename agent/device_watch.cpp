#include "agent/device_watch.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "common/error.h"

namespace mstune::agent {
namespace {

constexpr Duration kRefreshPeriod = std::chrono::seconds(1);
constexpr Duration kUsersMax = std::chrono::seconds(5);  // who asks how the agent is waits for that

std::string ids_text(const std::vector<Chip>& chips) {
  std::vector<int> ids;
  for (const Chip& chip : chips) {
    ids.push_back(chip.logic_id);
  }
  return fmt::format("{}", fmt::join(ids, ", "));
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
  if (options_.find) {
    if (box_.chips.empty()) {
      throw environment_error("agent.no_devices",
                              "--devices auto: no device was found: {}; name them, as in 0-7",
                              box_.unknown ? *box_.unknown : no_device_listed());
    }
    options_.devices.clear();
    for (const Chip& chip : box_.chips) {
      options_.devices.push_back(chip.logic_id);
    }
  }
  for (const int device : options_.devices) {
    if (!box_.chips.empty() && chip_of(box_.chips, device) == nullptr) {
      throw environment_error("agent.no_such_device",
                              "--devices: there is no device {} here; npu-smi knows: {}", device,
                              ids_text(box_.chips));
    }
  }
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
  if (options_.devices.empty() || !box_.chips.empty()) {
    return {};
  }
  return {message("agent.users_not_checked",
                  "whether somebody else uses a device is not checked: {}",
                  box_.unknown ? *box_.unknown : no_device_listed())};
}

bool DeviceWatch::checks(const protocol::TrialSpec& spec, const std::vector<int>& devices) const {
  return !spec.ignore_busy && !devices.empty() && !box_.chips.empty();
}

void DeviceWatch::wait_for(const protocol::TrialKey& key, const protocol::TrialSpec& spec,
                           std::vector<int> devices, TimePoint now) {
  constexpr std::uint64_t kMostMs = std::uint64_t{1000} * 3600 * 24 * 365;
  const std::chrono::milliseconds own_wait(std::min(spec.wait_timeout_ms, kMostMs));
  gates_.insert_or_assign(key, DeviceGate(std::move(devices), now, own_wait));
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
  if (!refreshing_) {
    return looks_.deadline();
  }
  return std::min({looks_.deadline(), refreshing_->deadline(), after(refresh_begun_, kUsersMax)});
}

std::vector<DeviceWatch::Verdict> DeviceWatch::step(TimePoint now) {
  looks_.step(now);
  std::vector<Verdict> verdicts;
  for (auto place = gates_.begin(); place != gates_.end();) {
    GateAnswer answer = place->second.ask(options_.rules, box_.chips, looks_.last(), now);
    const bool decided = answer.what != GateAnswer::What::look;
    if (decided || answer.tell) {
      verdicts.push_back({place->first, answer.what, std::move(answer.tell)});
    }
    if (decided) {
      place = gates_.erase(place);
    } else {
      looks_.ask(answer.look_at);
      ++place;
    }
  }
  return verdicts;
}

}  // namespace mstune::agent
