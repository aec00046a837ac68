// Two runs side by side: what changed in their settings and versions, and how the costs of each
// candidate changed. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coordinator/campaign_document.h"
#include "coordinator/ranking.h"

namespace mstune::coordinator {

struct RunSide {
  const CampaignDocument& campaign;
  const Ranking& ranking;
  const std::vector<EvaluatedTrial>& trials;
  std::string name;  // of its directory
};

// A key of campaign.json that differs; an object's keys are joined by dots. "-": it is not there.
struct SettingChange {
  std::string key;
  std::string before;
  std::string after;
};

struct CandidateChange {
  Candidate candidate;
  std::optional<double> before_us;  // median step cost; empty: no valid trial, several devices
  std::optional<double> after_us;
  std::optional<double> ratio;       // before / after: above 1 it became faster; of several
                                     // devices, the geometric mean over those in both runs
  std::optional<Interval> interval;  // of the ratio, as logarithms; for all candidates together
  std::optional<double> speedup_before;
  std::optional<double> speedup_after;
};

struct RunComparison {
  std::vector<SettingChange> settings;
  std::vector<CandidateChange> candidates;  // those of the second run first, in its ranking
  Candidate recommended_before;
  Candidate recommended_after;
};

// Intervals hold together with 95 % (Bonferroni over the candidates that have one).
RunComparison compare_runs(const RunSide& before, const RunSide& after);

// Several lines in the language of this process, each with its '\n'.
std::string comparison_text(const RunSide& before, const RunSide& after);

// The document of docs/schema/compare.schema.json.
std::string comparison_json(const RunSide& before, const RunSide& after);

}  // namespace mstune::coordinator
