#include "coordinator/report_devices.h"

#include <algorithm>

#include <fmt/format.h>

namespace mstune::coordinator {
namespace {

const Summary* find(const PartRanking& part, const Candidate& candidate) {
  const auto found =
      std::find_if(part.summaries.begin(), part.summaries.end(),
                   [&](const Summary& summary) { return summary.candidate == candidate; });
  return found == part.summaries.end() ? nullptr : &*found;
}

// "MainStream:4 (1.120)": its best candidate and how many times as fast as default it is there.
std::string best_text(const PartRanking& part) {
  const Summary* best = find(part, part.recommended);
  return best == nullptr || !best->speedup
             ? name(kDefaultCandidate)
             : fmt::format("{} ({:.3f})", name(best->candidate), *best->speedup);
}

Message device_message(const Fleet& fleet, const PartRanking& part) {
  const DeviceRecord& device = fleet.devices[part.devices.front()];
  if (!device.why.empty()) {
    return message("report.device_given_up", "{}: {} of {} trials count; given up: {}",
                   title(fleet, device), part.valid_trials, part.trials, device.why);
  }
  if (part.valid_trials == 0) {
    return message("report.device_silent", "{}: none of {} trials counts", title(fleet, device),
                   part.trials);
  }
  return message("report.device", "{}: {} of {} trials count, best {}", title(fleet, device),
                 part.valid_trials, part.trials, best_text(part));
}

void add_agents(const Fleet& fleet, std::vector<Message>& lines) {
  for (const AgentRecord& agent : fleet.agents) {
    if (agent.state == "never_answered") {
      lines.push_back(message("report.agent_never_answered", "{} never answered", agent.target));
    } else if (agent.state == "gone") {
      lines.push_back(message("report.agent_gone", "{} was gone at the end", agent.target));
    } else if (agent.state == "given_up") {
      lines.push_back(
          message("report.agent_given_up", "{} was given up: {}", agent.target, agent.why));
    }
  }
}

}  // namespace

std::vector<Message> devices_messages(const CampaignDocument& campaign, const Ranking& ranking) {
  std::vector<Message> lines;
  if (!campaign.fleet) {
    return lines;
  }
  for (const PartRanking& part : ranking.devices) {
    lines.push_back(device_message(*campaign.fleet, part));
  }
  add_agents(*campaign.fleet, lines);
  if (ranking.chips.size() > 1) {
    for (const PartRanking& part : ranking.chips) {
      lines.push_back(message("report.chip", "{} ({} devices): best {}",
                              part.name.empty() ? "?" : part.name, part.devices.size(),
                              best_text(part)));
    }
  }
  for (const Message& what : ranking.disagreements) {
    lines.push_back(message("report.disagreement", "Warning: devices disagree: {}", what));
  }
  return lines;
}

}  // namespace mstune::coordinator
