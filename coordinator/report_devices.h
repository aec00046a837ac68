// Which device and which agent contributed what, in plain words for the console. Pure.
#pragma once

#include <vector>

#include "coordinator/campaign_document.h"
#include "coordinator/ranking.h"

namespace mstune::coordinator {

// A line for each device, for each agent that brought none or was given up, and where devices
// disagree with the recommendation. Empty for a campaign with one device.
std::vector<Message> devices_messages(const CampaignDocument& campaign, const Ranking& ranking);

}  // namespace mstune::coordinator
