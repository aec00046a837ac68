// The ends of what failed builds and programs printed, from a run directory: for hints.h. Reads
// only, in bounded memory; what cannot be read is left out.
#pragma once

#include <string>
#include <vector>

#include "coordinator/documents.h"
#include "coordinator/run_directory.h"

namespace mstune::coordinator {

// Of builds, those of the campaign's candidates.
std::vector<std::string> failed_outputs(const RunDirectory& run, const CampaignDocument& campaign,
                                        const std::vector<EvaluatedTrial>& trials);

}  // namespace mstune::coordinator
