// The result for the console: the ranked table, the recommendation and what to do with it. Pure.
#pragma once

#include <string>
#include <vector>

#include "coordinator/campaign_document.h"
#include "coordinator/ranking.h"

namespace mstune::coordinator {

// What is recommended, how sure that is, and what casts doubt on it.
std::vector<Message> recommendation_messages(const Ranking& ranking);

// How to reproduce the result and what to set in production; empty without data.
std::vector<Message> production_messages(const CampaignDocument& campaign, const Ranking& ranking);

// Several lines, each with its '\n'. How to reproduce the result is left out where the campaign
// has no command (plain logs).
std::string report_table(const CampaignDocument& campaign, const Ranking& ranking);

// "exit status 0, 21 steps, valid": the end of a trial's line. Reasons and warnings follow, each on
// a line of its own, indented; no '\n' at the end.
std::string trial_result_text(const EvaluatedTrial& trial);

}  // namespace mstune::coordinator
