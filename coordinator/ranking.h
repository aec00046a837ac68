// Trials → the ranked candidates and the one to recommend. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/candidate.h"
#include "common/statistics.h"
#include "coordinator/confidence.h"
#include "coordinator/evaluation.h"
#include "coordinator/plan.h"

namespace mstune::coordinator {

struct EvaluatedTrial {
  Trial trial;
  std::uint32_t attempt = 1;
  TrialOutcome outcome;
  TrialEvaluation evaluation;
  std::optional<std::string> digest;  // of its results, as the program printed it
};

enum class Verdict { improvement, neutral, regression, invalid, no_baseline };

// "improvement" and so on: the word in the documents.
std::string_view word(Verdict verdict);

inline constexpr double kImprovementSpeedup = 1.05;  // from here on it is one
inline constexpr double kRegressionSpeedup = 0.98;   // below this it is one
inline constexpr double kUnstableCv = 0.05;          // above this more repeats are suggested

struct Summary {
  Candidate candidate;
  std::uint64_t trials = 0;
  std::uint64_t valid_trials = 0;
  std::uint64_t steps = 0;  // of the valid trials
  std::optional<CostFigures>
      figures;                    // pooled over them; empty without one, and of several devices
  std::optional<double> speedup;  // median of default / median; empty where that is undefined
  Verdict verdict = Verdict::invalid;
  std::vector<std::string> reasons;       // "trial 3: ...", of its trials in their order
  std::vector<std::string> reason_codes;  // each once
};

// A device's part of a campaign with several, or that of all devices of one chip model.
struct PartRanking {
  std::string name;                    // of the chip; empty: not known
  std::vector<std::uint32_t> devices;  // their numbers in the campaign
  std::uint64_t trials = 0;
  std::uint64_t valid_trials = 0;
  std::vector<Summary> summaries;
  Candidate recommended = kDefaultCandidate;
};

struct Ranking {
  std::vector<Summary> summaries;  // by median, then by name; those without data last, by name
  Candidate recommended = kDefaultCandidate;
  Confidence confidence;
  // Of a campaign with several devices.
  std::vector<PartRanking> devices;
  std::vector<PartRanking> chips;      // where every device ran all rounds
  std::vector<Message> disagreements;  // of devices with the joint recommendation

  [[nodiscard]] bool any_data() const;
};

// What a confirmation is about: what the evidence supports or else what is recommended.
Candidate winner(const Ranking& ranking);

// Null where the candidate is not in it. Both as long-lived as the ranking.
const Summary* summary_of(const Ranking& ranking, const Candidate& candidate);
const CandidateConfidence* confidence_in(const Ranking& ranking, const Candidate& candidate);

// The valid trials as the statistics of confidence see them.
std::vector<RunFigure> run_figures(const std::vector<EvaluatedTrial>& trials);

// Who took part in which stage, in the order of `candidates`. Trials beside the comparison (--aa,
// --confirm) do not count.
StageMembers stage_members(const std::vector<EvaluatedTrial>& trials,
                           const std::vector<Candidate>& candidates);

// `candidates` are those of the campaign: one without any trial is listed as well. A candidate that
// computes something else than `default` is not recommended.
Ranking rank(const std::vector<EvaluatedTrial>& trials, const std::vector<Candidate>& candidates,
             const ConfidenceRules& rules = {});

}  // namespace mstune::coordinator
