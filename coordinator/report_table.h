// The result for the console: the ranked table, the recommendation and what to do with it. Pure.
#pragma once

#include <string>

#include "coordinator/documents.h"

namespace mstune::coordinator {

// Several lines, each with its '\n'. The command that is shown to reproduce the result is
// `campaign.command`; without one (plain logs) that part is left out.
std::string report_table(const CampaignDocument& campaign, const Ranking& ranking,
                         const std::vector<EvaluatedTrial>& trials);

// "exit status 0, 21 steps, valid" or why not: the end of a trial's line.
std::string trial_result_text(const EvaluatedTrial& trial);

}  // namespace mstune::coordinator
