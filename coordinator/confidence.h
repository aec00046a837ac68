// How sure a campaign's figures are: intervals, evidence words, and what the evidence supports.
//
// Pure. The unit of evidence is the run, reduced to the median of its steps: steps within a run are
// correlated. Nothing here changes the sample's figures, verdicts and recommendation, but for
// candidates that compute something else than `default`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/candidate.h"
#include "coordinator/inference/digest_check.h"
#include "coordinator/inference/drift.h"
#include "coordinator/inference/evidence.h"
#include "coordinator/inference/sequential.h"

namespace mstune::coordinator {

// One valid run.
struct RunFigure {
  Candidate candidate;
  bool control = false;  // `default` under its second name (--aa)
  int round = 1;
  int stage = 0;  // Trial::stage
  std::uint32_t device = 0;
  double median_us = 0.0;         // 0 is below what the clock resolves and says nothing
  std::optional<double> start_s;  // from any origin
  double effective_steps = 0.0;   // as many independent steps would say as much
  std::optional<std::string> digest;
};

struct ConfidenceRules {
  std::optional<SequentialRules> until_proven;  // empty: the number of rounds was fixed before
  bool refine = false;                          // stages share the error rate
};

// Who took part in which stage (Trial::stage is the place), valid or not.
using StageMembers = std::vector<std::vector<Candidate>>;

struct CandidateConfidence {
  std::optional<Interval> interval;        // logarithms of the speedup over `default`
  std::optional<Evidence> evidence;        // empty for `default` and without an interval
  std::optional<std::size_t> more_rounds;  // a guess at what would settle it; empty: settled
  bool behind = false;                     // --until-proven dropped it: clearly slower than another
  double effective_steps = 0.0;            // of its run with the fewest
  ResultCheck result;
};

// A candidate in fresh rounds against `default` (--confirm).
struct Confirmation {
  Candidate candidate;
  Interval interval;
  std::size_t rounds = 0;  // complete ones
};

struct Confidence {
  std::map<Candidate, CandidateConfidence> candidates;
  std::vector<Candidate> tied;              // cannot be told from the best; empty: not known
  Candidate preferred = kDefaultCandidate;  // the one of them with the fewest streams
  Candidate proven = kDefaultCandidate;     // what the evidence supports
  std::optional<Interval> control;          // of `default` against itself
  bool control_held = true;
  std::optional<Confirmation> confirmation;
  std::optional<Drift> drift;

  // True when there are rounds enough to say anything about speedups.
  [[nodiscard]] bool any() const { return !tied.empty(); }
};

// The campaign as the statistics see it: `candidates` by index, rounds without gaps.
struct RoundTable {
  std::vector<Candidate> candidates;  // `default` first; others once
  std::vector<Observation> runs;      // those of the control left out
  std::vector<Observation> control;
};

// `default` is put first whether it is in `candidates` or not. Rounds in which nothing is valid
// leave no gap; runs with a median of 0 are left out.
RoundTable round_table(const std::vector<RunFigure>& runs,
                       const std::vector<Candidate>& candidates);

// The looks that --until-proven takes at growing evidence, from its first round to its last.
struct LooksTaken {
  std::vector<mstune::Progress> progress;  // by candidate
  std::vector<std::size_t> tied;
  Look last;
};

// The same runs give the same looks, so a campaign that is read again says what it said when it
// ran. Needs at least two candidates.
LooksTaken take_looks(const RoundTable& table, const SequentialRules& rules,
                      CriticalPoints& points);

// One stage of it.
RoundTable stage_table(const std::vector<RunFigure>& runs, const StageMembers& members,
                       std::size_t stage);

// The rules by which that stage takes its looks. Only where `until_proven` is set.
SequentialRules looking_rules(const ConfidenceRules& rules, std::size_t stage);

// `members` are needed for --until-proven only: each stage takes looks of its own, and what holds
// for a candidate is what holds after all stages.
Confidence confidence_of(const std::vector<RunFigure>& runs,
                         const std::vector<Candidate>& candidates,
                         const ConfidenceRules& rules = {}, const StageMembers& members = {});

}  // namespace mstune::coordinator
