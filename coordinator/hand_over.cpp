#include "coordinator/hand_over.h"

#include <algorithm>
#include <utility>

namespace mstune::coordinator {

void hand_over(ResumedRun resumed, SessionOptions& session) {
  CampaignSettings& campaign = session.campaign;
  campaign.attempts_before = std::move(resumed.attempts);
  campaign.order = resumed.order;
  campaign.unfinished = std::move(resumed.left);
  for (const EvaluatedTrial& trial : resumed.finished) {
    const auto& reasons = trial.outcome.reasons;
    const bool never_ran = std::any_of(reasons.begin(), reasons.end(), [](const Reason& reason) {
      return reason.code == "build_failed";
    });
    campaign.finished[trial.trial.index] = {trial.trial, never_ran};
  }
  if (resumed.before) {
    std::vector<std::size_t> places(resumed.before->agents.size());
    for (const DeviceRecord& device : resumed.before->devices) {
      campaign.devices.push_back({device.agent, places[device.agent]++});
    }
  }
  session.unfinished = std::move(resumed.unfinished);
  session.oms = std::move(resumed.oms);
  session.finished = std::move(resumed.finished);
  session.before = std::move(resumed.before);
  session.server_keys = std::move(resumed.server_keys);
}

}  // namespace mstune::coordinator
