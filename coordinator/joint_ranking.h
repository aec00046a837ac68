// The ranking of a campaign with more than one device. Pure.
//
// Costs of different devices are never pooled: a candidate is compared with `default` of the same
// device and round, and only these ratios meet.
#pragma once

#include <vector>

#include "coordinator/campaign_document.h"
#include "coordinator/ranking.h"

namespace mstune::coordinator {

// How the campaign's looks at its evidence were planned; --repeat rounds come before the first.
ConfidenceRules confidence_rules(const CampaignDocument& campaign);

// As rank() where the campaign has one device. Else `summaries` are joint: `figures` is empty and
// `speedup` the geometric mean of the ratios within rounds; where every device ran all rounds
// (replicate), first over the rounds of each device, then over devices, so that each weighs the
// same. The greatest joint speedup of at least kImprovementSpeedup is recommended.
Ranking rank_run(const CampaignDocument& campaign, const std::vector<EvaluatedTrial>& trials);

}  // namespace mstune::coordinator
