// Why a trial does not count, or holds less than its program did: one cause, the most likely, with
// one thing to do. The one place that turns what was seen into a cause. Pure.
//
// It reads what the evaluation found in the records, how the program ended, what the agent saw (the
// facts in trial.json) and the end of the output: the same for a trial that has just ended and for
// one of last year.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/campaign_document.h"
#include "coordinator/ranking.h"

namespace mstune::coordinator {

// What a single trial cannot tell.
struct CauseContext {
  bool offline = false;
  std::string command;  // that was run, as one text
  std::string doctor = "mstune doctor";
  // How many trials whose program ended with 0 have so many steps.
  std::map<std::uint64_t, std::size_t> step_counts = {};
  std::vector<std::string> chips = {};  // of its devices, where they are known
};

// Of the campaign, and of those of its trials that have ended.
CauseContext context_of(const CampaignDocument& campaign,
                        const std::vector<EvaluatedTrial>& trials);
void note_trial(const EvaluatedTrial& trial, CauseContext& context);

// Nothing for a trial that counts and lacks nothing, and for one whose reasons say it all (it was
// cancelled, its device was taken).
std::optional<Reason> cause_of(const EvaluatedTrial& trial, const CauseContext& context);

// Each trial's, with all of them as the context.
void name_causes(const CampaignDocument& campaign, std::vector<EvaluatedTrial>& trials);

}  // namespace mstune::coordinator
