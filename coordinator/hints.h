// What a run's symptoms mean, and what to do next: said at the end of the run that shows them. The
// causes of single trials come from trial_cause.h; here they are put together, with what only the
// whole run shows and what its builds printed. Pure.
#pragma once

#include <string>
#include <vector>

#include "coordinator/campaign_document.h"
#include "coordinator/ranking.h"

namespace mstune::coordinator {

struct Symptoms {
  const CampaignDocument& campaign;
  const Ranking& ranking;
  const std::vector<EvaluatedTrial>& trials;  // with their causes
  std::vector<std::string> build_outputs;     // their ends
};

// Each hint once; what explains most comes first. Empty for a run without symptoms.
std::vector<Message> hints_of(const Symptoms& symptoms);

// "Hint: …" lines, each with its '\n'.
std::string hints_text(const std::vector<Message>& hints);

}  // namespace mstune::coordinator
