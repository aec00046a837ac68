// The ends of what the builds of a campaign printed, from its run directory: for hints.h.
#pragma once

#include <string>
#include <vector>

#include "coordinator/campaign_document.h"
#include "coordinator/run_directory.h"

namespace mstune::coordinator {

// Of its candidates; what cannot be read is left out. Empty where nothing was built.
std::vector<std::string> build_outputs(const RunDirectory& run, const CampaignDocument& campaign);

}  // namespace mstune::coordinator
