#include "agent/device_watch.h"

#include <algorithm>
#include <set>
#include <utility>

#include "common/error.h"

namespace mstune::agent {
namespace {

std::string ids_text(const std::vector<Chip>& chips) {
  std::vector<int> ids;
  for (const Chip& chip : chips) {
    ids.push_back(chip.logic_id);
  }
  return fmt::format("{}", fmt::join(ids, ", "));
}

const Chip* chip_of(const std::vector<Chip>& chips, int device) {
  const auto found = std::find_if(chips.begin(), chips.end(),
                                  [&](const Chip& chip) { return chip.logic_id == device; });
  return found == chips.end() ? nullptr : &*found;
}

}  // namespace

DeviceWatch::DeviceWatch(Options options, Environment environment)
    : options_(std::move(options)),
      box_(options_.look ? look_at_chips(environment) : ChipFacts{}),
      looks_(std::move(environment)) {
  if (options_.find) {
    if (box_.chips.empty()) {
      throw environment_error("agent.no_devices",
                              "--devices auto: no device was found: {}; name them, as in 0-7",
                              box_.unknown ? box_.unknown->text : "npu-smi info -m lists none");
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
                  box_.unknown ? box_.unknown->text : "npu-smi lists no device")};
}

bool DeviceWatch::checks(const protocol::TrialSpec& spec, const std::vector<int>& devices) const {
  return !spec.ignore_busy && !devices.empty() && !box_.chips.empty();
}

void DeviceWatch::wait_for(const protocol::TrialKey& key, std::vector<int> devices, TimePoint now) {
  gates_.insert_or_assign(key, DeviceGate(std::move(devices), now));
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
