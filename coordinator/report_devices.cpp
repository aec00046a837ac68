#include "coordinator/report_devices.h"

#include <algorithm>

namespace mstune::coordinator {
namespace {

const Summary* find(const PartRanking& part, const Candidate& candidate) {
  const auto found =
      std::find_if(part.summaries.begin(), part.summaries.end(),
                   [&](const Summary& summary) { return summary.candidate == candidate; });
  return found == part.summaries.end() ? nullptr : &*found;
}

// "best MainStream:4, 1.120 times as fast as default"
std::string best_text(const PartRanking& part) {
  const Summary* best = find(part, part.recommended);
  if (part.recommended == kDefaultCandidate || best == nullptr || !best->speedup) {
    return message("report.part_default", "nothing better than default").text;
  }
  return message("report.part_best", "best {}, {} times as fast as default", name(best->candidate),
                 fmt::format("{:.3f}", *best->speedup))
      .text;
}

std::string device_line(const Fleet& fleet, const PartRanking& part) {
  const DeviceRecord& device = fleet.devices[part.devices.front()];
  std::string line = message("report.device", "  {}: {} of {} trials count, {}",
                             title(fleet, device), part.valid_trials, part.trials, best_text(part))
                         .text;
  if (!device.why.empty()) {
    line += message("report.device_given_up", "; given up: {}", device.why).text;
  }
  return line + '\n';
}

std::string agent_line(const Fleet& fleet, std::size_t at) {
  const AgentRecord& agent = fleet.agents[at];
  const bool has_device =
      std::any_of(fleet.devices.begin(), fleet.devices.end(),
                  [at](const DeviceRecord& device) { return device.agent == at; });
  if (has_device && agent.state == "ready") {
    return {};
  }
  std::string line;
  if (agent.state == "never_answered") {
    line = message("report.agent_never_answered", "  {} never answered", agent.target).text;
  } else if (agent.state == "gone") {
    line = message("report.agent_gone", "  {} was gone at the end", agent.target).text;
  } else {
    line = message("report.agent_given_up", "  {} was given up: {}", agent.target, agent.why).text;
  }
  return line + '\n';
}

}  // namespace

std::string devices_text(const CampaignDocument& campaign, const Ranking& ranking) {
  if (!campaign.fleet) {
    return {};
  }
  const Fleet& fleet = *campaign.fleet;
  std::string text = message("report.devices", "Devices:").text + '\n';
  for (const PartRanking& part : ranking.devices) {
    text += device_line(fleet, part);
  }
  for (std::size_t at = 0; at < fleet.agents.size(); ++at) {
    text += agent_line(fleet, at);
  }
  if (ranking.chips.size() > 1) {
    for (const PartRanking& part : ranking.chips) {
      text += message("report.chip", "Of the {} devices {}: {}", part.devices.size(),
                      part.name.empty() ? "of an unknown chip" : part.name, best_text(part))
                  .text +
              '\n';
    }
  }
  for (const Message& what : ranking.disagreements) {
    text += message("report.disagreement", "Warning: devices disagree: {}", what.text).text + '\n';
  }
  return text;
}

}  // namespace mstune::coordinator
