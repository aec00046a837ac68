// What a run's symptoms mean, and what to do next: said at the end of the run that shows them.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "coordinator/campaign_document.h"
#include "coordinator/ranking.h"

namespace mstune::coordinator {

struct Symptoms {
  const CampaignDocument& campaign;
  const Ranking& ranking;
  const std::vector<EvaluatedTrial>& trials;
  std::vector<std::string> outputs;  // the ends of what failed programs and builds printed
};

// Each hint once; what explains most comes first. Empty for a run without symptoms.
std::vector<Message> hints_of(const Symptoms& symptoms);

// "Hint: …" lines, each with its '\n'.
std::string hints_text(const std::vector<Message>& hints);

// What CANN's codes in an output say, each once. A code stands by itself: "507033" is none inside
// of "15070331".
std::vector<Message> hints_of_codes(std::string_view output);

}  // namespace mstune::coordinator
