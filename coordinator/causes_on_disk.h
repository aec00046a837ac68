// The causes of a whole run's trials, in memory and in each trial.json that was written before all
// trials were known.
#pragma once

#include <vector>

#include "coordinator/campaign_document.h"
#include "coordinator/ranking.h"
#include "coordinator/run_directory.h"

namespace mstune::coordinator {

// Throws an environment error that names the file that cannot be written.
void name_causes_on_disk(const RunDirectory& run, const CampaignDocument& campaign,
                         std::vector<EvaluatedTrial>& trials);

}  // namespace mstune::coordinator
