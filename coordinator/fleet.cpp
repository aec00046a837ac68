#include "coordinator/fleet.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include <fmt/format.h>

namespace mstune::coordinator {
namespace {

using Reporters = std::map<std::string, std::vector<std::string>>;  // by what they say

std::string comma_list(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, ", "));
}

// "8.1.RC1 (npu-a, npu-b), 8.2 (npu-c)"
std::string versions_text(const Reporters& reporters) {
  std::vector<std::string> texts;
  for (const auto& [version, who] : reporters) {
    texts.push_back(fmt::format("{} ({})", version, comma_list(who)));
  }
  return comma_list(texts);
}

void report(Reporters& reporters, const std::string& version, const std::string& who) {
  if (!version.empty()) {
    reporters[version].push_back(who);
  }
}

Reporters of_agents(const Fleet& fleet, std::string AgentRecord::*fact) {
  Reporters reporters;
  for (const AgentRecord& agent : fleet.agents) {
    report(reporters, agent.*fact, agent.target);
  }
  return reporters;
}

Reporters of_chips(const Fleet& fleet) {
  Reporters reporters;
  for (const DeviceRecord& device : fleet.devices) {
    auto& who = reporters[device.chip];
    const std::string& target = fleet.agents[device.agent].target;
    if (std::find(who.begin(), who.end(), target) == who.end()) {
      who.push_back(target);
    }
  }
  reporters.erase("");
  return reporters;
}

void check_cann(const Fleet& fleet, const MatchRules& rules, std::vector<Mismatch>& found) {
  Reporters versions = of_agents(fleet, &AgentRecord::cann_version);
  if (rules.offline) {
    report(versions, rules.build_cann_version, "this machine");
  }
  if (versions.size() > 1) {
    found.push_back({message("match.cann",
                             "CANN versions must match across the build machine, the OM and the "
                             "target, but they are: {}",
                             versions_text(versions)),
                     rules.offline || fleet.spread == Spread::share});
  }
}

void check_chips(const Fleet& fleet, const MatchRules& rules, std::vector<Mismatch>& found) {
  const Reporters chips = of_chips(fleet);
  if (chips.size() < 2) {
    return;
  }
  if (rules.offline) {
    found.push_back({message("match.om_for_one_chip",
                             "an OM is built for one kind of chip, but the devices are: {}",
                             versions_text(chips)),
                     true});
  } else if (fleet.spread == Spread::share) {
    found.push_back({message("match.share_needs_one_kind",
                             "--spread share needs devices of one kind, but they are: {}; give "
                             "--spread replicate, or fewer targets",
                             versions_text(chips)),
                     true});
  }
}

void check_surroundings(const Fleet& fleet, std::vector<Mismatch>& found) {
  const Reporters drivers = of_agents(fleet, &AgentRecord::driver_version);
  if (drivers.size() > 1) {
    found.push_back(
        {message("match.driver", "the drivers differ: {}", versions_text(drivers)), false});
  }
  const Reporters architectures = of_agents(fleet, &AgentRecord::architecture);
  if (architectures.size() > 1) {
    found.push_back(
        {message("match.architecture", "the machines differ: {}", versions_text(architectures)),
         fleet.spread == Spread::share});
  }
}

bool overlap(const DeviceRecord& left, const DeviceRecord& right) {
  return left.ids.empty() || right.ids.empty() ||
         std::any_of(left.ids.begin(), left.ids.end(), [&](std::int32_t id) {
           return std::find(right.ids.begin(), right.ids.end(), id) != right.ids.end();
         });
}

// Two agents on one machine are fine, as long as each has devices of its own.
void check_twice(const Fleet& fleet, std::vector<Mismatch>& found) {
  for (std::size_t i = 0; i < fleet.devices.size(); ++i) {
    for (std::size_t j = i + 1; j < fleet.devices.size(); ++j) {
      const AgentRecord& left = fleet.agents[fleet.devices[i].agent];
      const AgentRecord& right = fleet.agents[fleet.devices[j].agent];
      const bool same_boot = !left.boot_id.empty() && left.boot_id == right.boot_id &&
                             fleet.devices[i].agent != fleet.devices[j].agent;
      if (same_boot && overlap(fleet.devices[i], fleet.devices[j])) {
        found.push_back({message("match.device_twice",
                                 "{} and {} are agents of one machine, and both offer the same "
                                 "device: trials would disturb each other; start them with "
                                 "--devices of their own",
                                 left.target, right.target),
                         true});
        return;
      }
    }
  }
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// Two names are usual for each of them.
std::string one_name(std::string_view architecture) {
  const std::string name = lower(architecture);
  if (name == "arm64") {
    return "aarch64";
  }
  return name == "amd64" ? "x86_64" : name;
}

// What atc puts behind a dynamic-shape model's name, "_<os>_<cpu>": "_linux_x86_64",
// "_euleros_aarch64", "_Linux_AArch64". Empty where there is none.
std::string architecture_in(std::string_view om_name) {
  constexpr std::string_view kEnding = ".om";
  constexpr std::string_view kLinux = "_linux_";
  constexpr std::array<std::string_view, 4> kKnown{"_x86_64", "_aarch64", "_amd64", "_arm64"};
  if (!om_name.ends_with(kEnding)) {
    return {};
  }
  const std::string stem = lower(om_name.substr(0, om_name.size() - kEnding.size()));
  if (const auto os = stem.rfind(kLinux); os != std::string::npos) {
    return stem.substr(os + kLinux.size());
  }
  for (const std::string_view known : kKnown) {
    const bool has_os = stem.ends_with(known) &&
                        stem.find_last_of('_', stem.size() - known.size() - 1) != std::string::npos;
    if (has_os) {
      return std::string(known.substr(1));
    }
  }
  return {};
}

}  // namespace

std::string_view word(Spread spread) {
  return spread == Spread::share ? "share" : "replicate";
}

std::optional<Spread> parse_spread(std::string_view text) {
  for (const Spread spread : {Spread::share, Spread::replicate}) {
    if (text == word(spread)) {
      return spread;
    }
  }
  return std::nullopt;
}

std::string title(const Fleet& fleet, const DeviceRecord& device) {
  std::string text = fleet.agents[device.agent].target;
  if (!device.ids.empty()) {
    text += fmt::format(", {} {}", device.ids.size() == 1 ? "device" : "devices",
                        fmt::join(device.ids, "+"));
  }
  if (!device.chip.empty()) {
    text += ", " + device.chip;
  }
  return fmt::format("device {} ({})", device.number, text);
}

std::vector<Mismatch> mismatches(const Fleet& fleet, const MatchRules& rules) {
  std::vector<Mismatch> found;
  check_cann(fleet, rules, found);
  check_chips(fleet, rules, found);
  check_surroundings(fleet, found);
  check_twice(fleet, found);
  return found;
}

std::vector<Mismatch> changes(const Fleet& before, const Fleet& now) {
  std::vector<Mismatch> found;
  const auto compare = [&](const std::string& who, const Message& what, const std::string& was,
                           const std::string& is, bool refusal) {
    if (!was.empty() && !is.empty() && was != is) {
      found.push_back(
          {message("match.changed",
                   "{}: {} was {} when the run was begun and is {} now: its trials cannot be "
                   "compared with those before",
                   who, what, was, is),
           refusal});
    }
  };
  for (std::size_t at = 0; at < before.agents.size() && at < now.agents.size(); ++at) {
    const AgentRecord& was = before.agents[at];
    const AgentRecord& is = now.agents[at];
    compare(is.target, message("match.word_cann", "CANN"), was.cann_version, is.cann_version, true);
    compare(is.target, message("match.word_architecture", "the architecture"), was.architecture,
            is.architecture, true);
    compare(is.target, message("match.word_driver", "the driver"), was.driver_version,
            is.driver_version, false);
  }
  for (std::size_t at = 0; at < before.devices.size() && at < now.devices.size(); ++at) {
    compare(title(now, now.devices[at]), message("match.word_chip", "the chip"),
            before.devices[at].chip, now.devices[at].chip, true);
  }
  return found;
}

std::optional<Message> om_mismatch(std::string_view om_name, const AgentRecord& agent) {
  const std::string architecture = architecture_in(om_name);
  if (architecture.empty() || agent.architecture.empty() ||
      one_name(architecture) == one_name(agent.architecture)) {
    return std::nullopt;
  }
  return message("match.om_architecture",
                 "the OM {} is for {}, but {} is {}: atc must be told the target's processor "
                 "(--host_env_cpu={})",
                 om_name, architecture, agent.target, agent.architecture, agent.architecture);
}

}  // namespace mstune::coordinator
