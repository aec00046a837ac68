// The session's fleet: who is there with which devices, and whether they fit together.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "common/error.h"
#include "common/key.h"
#include "common/version.h"
#include "coordinator/session.h"

namespace mstune::coordinator {
namespace {

// What each trial has for itself: so many devices, in the agent's order. One that offers none has
// one place, and device selection is left alone there.
std::vector<std::vector<std::int32_t>> device_groups(const std::vector<std::int32_t>& devices,
                                                     std::size_t per_trial) {
  if (devices.empty()) {
    return {{}};
  }
  std::vector<std::vector<std::int32_t>> groups;
  for (std::size_t at = 0; at + per_trial <= devices.size(); at += per_trial) {
    const auto first = devices.begin() + static_cast<std::ptrdiff_t>(at);
    groups.emplace_back(first, first + static_cast<std::ptrdiff_t>(per_trial));
  }
  return groups;
}

// A chip for each group: that of its first device, or of the box.
std::vector<std::string> chips_of(const protocol::Welcome& welcome, std::size_t groups,
                                  std::size_t per_trial) {
  std::vector<std::string> chips(groups);
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t at = group * per_trial;
    const bool of_box = welcome.devices.empty() && welcome.chips.size() == 1;
    if (of_box || (!welcome.devices.empty() && at < welcome.chips.size())) {
      chips[group] = welcome.chips[of_box ? 0 : at];
    }
  }
  return chips;
}

std::string ids_text(const std::vector<std::int32_t>& ids) {
  return fmt::format("{}", fmt::join(ids, "+"));
}

void fill_in(AgentRecord& record, const protocol::Welcome& welcome) {
  record.host = welcome.host;
  record.cann_version = welcome.cann_version;
  record.driver_version = welcome.driver_version;
  record.architecture = welcome.architecture;
  record.boot_id = welcome.boot_id;
}

}  // namespace

// What an earlier session knew is known, whether its agents are there or not. That it gave one up
// is nothing to go on: who was not well then may be now.
void Session::take_over_fleet() {
  if (!options_.before) {
    return;
  }
  for (std::size_t at = 0; at < fleet_.agents.size() && at < options_.before->agents.size(); ++at) {
    const std::string target = fleet_.agents[at].target;
    AgentRecord& agent = fleet_.agents[at];
    agent = options_.before->agents[at];
    agent.target = target;
    agent.state = agent.host.empty() ? "never_answered" : "gone";
    agent.why.clear();
  }
  fleet_.devices = options_.before->devices;
  for (DeviceRecord& device : fleet_.devices) {
    agents_[device.agent].before.push_back(device.ids);
  }
}

void Session::take_welcome(std::size_t agent, const protocol::Welcome& welcome, TimePoint now) {
  if (fleet_.agents[agent].state == "given_up") {
    return;  // for good: its record says why
  }
  for (const Message& notice : welcome.notices) {
    progress_.note(notice);
  }
  if (welcome.major < protocol::kMajor) {
    progress_.note(message(
        "campaign.older_agent",
        "{} (mstune-agent {}) speaks version {} of the protocol: its trials say less than they "
        "could; upgrade it with scripts/install-agent.sh of mstune {}",
        options_.agents[agent].name, welcome.software, welcome.major, kVersion));
  }
  AgentSide& side = agents_[agent];
  const std::size_t per_trial = options_.agents[agent].devices_per_trial;
  const auto groups = device_groups(welcome.devices, per_trial);
  if (const auto why = refusal_of(agent, welcome, groups)) {
    refuse_to_go_on(why);
    dispatch(AgentRefused{agent, *why}, now);
    return;
  }
  fill_in(fleet_.agents[agent], welcome);
  fleet_.agents[agent].state = "ready";
  side.instance = welcome.instance;
  side.groups = groups;
  side.chips = chips_of(welcome, groups.size(), per_trial);
  const auto& can = welcome.capabilities;
  if (options_.agents[agent].lease &&
      std::find(can.begin(), can.end(), protocol::kCanRenewPasses) != can.end()) {
    side.renews_lease = true;
    renew_leases_at_ = now;
  }
  if (agent == 0) {
    // Besides what is known of its device: it may have come back to a campaign that runs.
    const auto add = [&](const char* what, const std::string& text) {
      if (!text.empty()) {
        result_.versions[what] = text;
      }
    };
    add("agent", welcome.software);
    add("host", welcome.host);
    add("architecture", welcome.architecture);
    add("cann", welcome.cann_version);
    add("driver", welcome.driver_version);
  }
  dispatch(AgentReady{agent, welcome.instance, groups.size(), welcome.boot_id}, now);
  if (fleet_checked_) {
    note_devices();
  }
}

std::optional<Message> Session::refusal_of(std::size_t agent, const protocol::Welcome& welcome,
                                           const std::vector<std::vector<std::int32_t>>& groups) {
  const AgentSide& side = agents_[agent];
  const AgentOptions& options = options_.agents[agent];
  if (groups.empty()) {
    return message("campaign.too_few_devices",
                   "{} offers {} devices, but a trial needs {} (devices_per_trial)", options.name,
                   welcome.devices.size(), options.devices_per_trial);
  }
  if (offers_others(side, groups)) {
    return message("campaign.other_devices",
                   "{} was started again and offers other devices than before", options.name);
  }
  if (!fleet_checked_ || side.instance == welcome.instance) {
    return std::nullopt;
  }
  // It joins a campaign that runs, or comes back to it and may be another one than before.
  Fleet joined = fleet_;
  fill_in(joined.agents[agent], welcome);
  const auto chips = chips_of(welcome, groups.size(), options.devices_per_trial);
  std::size_t place = 0;
  for (DeviceRecord& device : joined.devices) {
    if (device.agent == agent) {
      device.chip = chips[place++];
    }
  }
  for (std::size_t group = place; group < groups.size(); ++group) {
    joined.devices.push_back({static_cast<std::uint32_t>(joined.devices.size()),
                              static_cast<std::uint32_t>(agent),
                              groups[group],
                              chips[group],
                              {}});
  }
  return refusal(joined);
}

// Where an earlier session's run cannot go on, nothing of it is written anew.
void Session::refuse_to_go_on(const std::optional<Message>& why) {
  if (why && options_.before && !fleet_checked_) {
    refused_ = true;
    throw Error(ErrorKind::usage, *why);
  }
}

// Than in this session, or in the one that it goes on with. Ids that were not recorded then fit
// all.
bool Session::offers_others(const AgentSide& side,
                            const std::vector<std::vector<std::int32_t>>& groups) const {
  if (!side.groups.empty()) {
    return side.groups != groups;
  }
  const bool was_recorded = std::any_of(side.before.begin(), side.before.end(),
                                        [](const auto& ids) { return !ids.empty(); });
  return was_recorded && side.before != groups;
}

// The dispatcher has given numbers to devices: write down which they are.
void Session::note_devices() {
  if (add_devices()) {
    write_fleet();
  }
}

// True when there are new ones.
bool Session::add_devices() {
  const std::size_t known = fleet_.devices.size();
  for (std::size_t number = known; number < dispatcher_.device_count(); ++number) {
    const CampaignDevice& device = dispatcher_.device(number);
    const AgentSide& side = agents_[device.agent];
    fleet_.devices.push_back({static_cast<std::uint32_t>(number),
                              static_cast<std::uint32_t>(device.agent),
                              side.groups[device.place],
                              side.chips[device.place],
                              {}});
  }
  return fleet_.devices.size() > known;
}

// So that a session that goes on with this one knows whom it must find.
void Session::write_fleet() {
  if (dispatcher_.has_fleet()) {
    stages_.set_fleet(fleet_);
  } else if (const DeviceRecord& device = fleet_.devices.front(); !device.chip.empty()) {
    result_.versions["chip"] = device.chip;
  }
  if (!dispatcher_.has_fleet() && !fleet_.devices.front().ids.empty()) {
    result_.versions["devices"] = ids_text(fleet_.devices.front().ids);
  }
  write_campaign();
}

// Before anything begins that follows from the last look: who goes on plans the same.
void Session::write_looks() {
  if (options_.document && dispatcher_.has_fleet() &&
      options_.document->devices_at_looks != stages_.devices_at_looks()) {
    write_campaign();
  }
}

void Session::write_campaign() {
  if (!options_.document) {
    return;
  }
  if (dispatcher_.has_fleet()) {
    options_.document->fleet = fleet_;
  }
  for (const auto& [what, version] : result_.versions) {
    options_.document->versions[what] = version;
  }
  for (std::size_t at = 0; at < agents_.size(); ++at) {
    const AgentOptions& agent = options_.agents[at];
    if (agent.security && !agents_[at].instance.empty()) {
      options_.document->server_keys[agent.name] = key_text(agent.security->server_key);
    }
  }
  options_.document->candidates = stages_.candidates();
  options_.document->devices_at_looks = stages_.devices_at_looks();
  directory_.write_campaign(*options_.document);
}

void Session::check_fleet(TimePoint now) {
  add_devices();
  for (std::size_t at = 0; at < agents_.size(); ++at) {
    AgentRecord& agent = fleet_.agents[at];
    if (agents_[at].instance.empty() && agent.state != "given_up") {
      agent.state = agent.host.empty() ? "never_answered" : "gone";
    }
  }
  for (DeviceRecord& device : fleet_.devices) {  // those of an earlier session are tried again
    device.why.clear();
    const AgentSide& side = agents_[device.agent];
    if (!side.chips.empty()) {
      device.chip = side.chips[dispatcher_.device(device.number).place];
    }
  }
  const auto why = refusal(fleet_);
  refuse_to_go_on(why);
  write_fleet();
  for (const DeviceRecord& device : fleet_.devices) {
    if (dispatcher_.has_fleet()) {
      progress_.note(message("campaign.device", "{}", title(fleet_, device)));
    }
  }
  fleet_checked_ = true;
  dispatch(FleetChecked{why.value_or(Message{})}, now);
}

// Why these may not be compared; what is only worth knowing is told.
std::optional<Message> Session::refusal(const Fleet& fleet) {
  // A trial that runs keeps up to four files open, a connection as many sockets and pipes.
  const std::uint64_t descriptors = 64 + 4 * (fleet.devices.size() + fleet.agents.size());
  if (descriptors > descriptors_max_) {
    return message("campaign.too_few_descriptors",
                   "{} devices need {} open files at a time, and {} are allowed: raise the limit "
                   "(ulimit -n {})",
                   fleet.devices.size(), descriptors, descriptors_max_, descriptors);
  }
  std::vector<Mismatch> found = mismatches(fleet, options_.match);
  const auto compare_with = [&](const Fleet& before) {
    const auto changed = changes(before, fleet);
    found.insert(found.end(), changed.begin(), changed.end());
  };
  compare_with(fleet_);  // one that comes back may have been updated meanwhile
  if (options_.before) {
    compare_with(*options_.before);
  }
  std::optional<Message> why;
  for (const Mismatch& mismatch : found) {
    if (mismatch.refusal && !options_.allow_mismatch) {
      why = why ? why
                : message("match.refused", "{} (--allow-mismatch goes on all the same)",
                          mismatch.what);
    } else {
      progress_.note(mismatch.what);
    }
  }
  return why;
}

// An agent that hears of a run nothing but that its connection is alive does not keep the pass for
// it.
void Session::renew_leases(TimePoint now) {
  constexpr Duration kRenewEvery = std::chrono::seconds(5);
  if (now < renew_leases_at_) {
    return;
  }
  renew_leases_at_ = kNever;
  for (std::size_t at = 0; at < agents_.size(); ++at) {
    if (agents_[at].renews_lease) {
      send(at, *options_.agents[at].lease);
      renew_leases_at_ = after(now, kRenewEvery);
    }
  }
}

void Session::take_lost_lease(std::size_t agent, const Message& why) {
  if (std::exchange(agents_[agent].renews_lease, false)) {
    progress_.note(message("pass.at_agent", "{}: {}", options_.agents[agent].name, why));
  }
}

void Session::give_up(const GiveUpDevice& action) {
  note_devices();
  DeviceRecord& device = fleet_.devices[action.device];
  device.why = action.why.text;
  progress_.note(message("campaign.device_given_up", "nothing more runs on {}: {}",
                         title(fleet_, device), action.why));
}

void Session::give_up(const GiveUpAgent& action, TimePoint now) {
  AgentRecord& agent = fleet_.agents[action.agent];
  agent.state = "given_up";
  agent.why = action.why.text;
  std::erase_if(shipped_for_, [&](const auto& shipped) {
    const bool is_bound_there = shipped.second.first == action.agent;
    if (is_bound_there) {
      agents_[action.agent].connection->stop_upload(shipped.first, now);
    }
    return is_bound_there;
  });
  if (fleet_.agents.size() > 1) {
    progress_.note(message("campaign.agent_given_up", "the campaign goes on without {}: {}",
                           agent.target, action.why));
  }
}

}  // namespace mstune::coordinator
