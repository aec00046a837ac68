#include "coordinator/confidence.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "coordinator/inference/aa_control.h"
#include "coordinator/inference/choice.h"

namespace mstune::coordinator {
namespace {

// The control's interval stands alone: no multiplicity.
std::optional<Interval> control_interval(const RoundTable& table, CriticalPoints& points) {
  if (table.control.empty()) {
    return std::nullopt;
  }
  std::vector<Observation> runs = table.runs;
  runs.insert(runs.end(), table.control.begin(), table.control.end());
  const std::size_t control = table.candidates.size();
  const Layout layout(control + 1, runs);
  const auto spread = layout.spread();
  const auto comparison =
      spread ? compare(layout, *spread, control, kBaseline) : std::optional<Comparison>();
  if (!comparison) {
    return std::nullopt;
  }
  const double half =
      points.student((1.0 - kConfidence) / 2.0, comparison->degrees) * comparison->deviation;
  return Interval{comparison->log_speedup - half, comparison->log_speedup,
                  comparison->log_speedup + half};
}

std::vector<Candidate> named(const std::vector<std::size_t>& indices, const RoundTable& table) {
  std::vector<Candidate> candidates;
  for (const std::size_t index : indices) {
    candidates.push_back(table.candidates[index]);
  }
  return candidates;
}

std::optional<std::size_t> rounds_wanted(const Layout& layout, std::size_t at,
                                         const CandidateConfidence& known, CriticalPoints& points) {
  const auto spread = layout.spread();
  if (!known.interval || settled(*known.interval) || known.behind || !spread) {
    return std::nullopt;
  }
  const auto comparison = compare(layout, *spread, at, kBaseline);
  return comparison ? rounds_to_settle(*comparison, layout.candidates(), points) : std::nullopt;
}

void weigh_fixed_rounds(const RoundTable& table, CriticalPoints& points, Confidence& confidence) {
  const Layout layout(table.candidates.size(), table.runs);
  const auto intervals = simultaneous_intervals(layout, points);
  for (std::size_t at = 1; at < table.candidates.size(); ++at) {
    CandidateConfidence& result = confidence.candidates[table.candidates[at]];
    result.interval = intervals[at];
    result.more_rounds = rounds_wanted(layout, at, result, points);
  }
  confidence.tied = named(tied_with_best(layout, points), table);
}

// What the looks of the stages so far say about ties: first in one of them, behind in another.
struct Ties {
  std::set<Candidate> first;
  std::set<Candidate> beaten;
};

// How many more rounds are wanted is a guess from the latest stage, by the bounds of fixed rounds.
void weigh_stage(const RoundTable& table, const LooksTaken& looks, CriticalPoints& points,
                 Confidence& confidence, Ties& ties) {
  const Layout layout(table.candidates.size(), table.runs);
  for (std::size_t at = 0; at < table.candidates.size(); ++at) {
    const Candidate& candidate = table.candidates[at];
    const bool is_tied = std::find(looks.tied.begin(), looks.tied.end(), at) != looks.tied.end();
    if (!looks.tied.empty()) {
      (is_tied ? ties.first : ties.beaten).insert(candidate);
    }
    if (at == kBaseline) {
      continue;
    }
    CandidateConfidence& result = confidence.candidates[candidate];
    if (const auto& interval = looks.progress[at].interval) {
      result.interval = common_part(result.interval, *interval);
    }
    result.behind = result.behind || looks.progress[at].behind;
    result.more_rounds = rounds_wanted(layout, at, result, points);
  }
}

// Who cannot be told from the best in any stage that it took part in is tied.
void weigh_looks(const std::vector<RunFigure>& runs, const StageMembers& members,
                 const ConfidenceRules& rules, CriticalPoints& points, Confidence& confidence) {
  Ties ties;
  for (std::size_t stage = 0; stage < members.size(); ++stage) {
    const RoundTable table = stage_table(runs, members, stage);
    if (table.candidates.size() > 1) {
      weigh_stage(table, take_looks(table, looking_rules(rules, stage), points), points, confidence,
                  ties);
    }
  }
  std::set_difference(ties.first.begin(), ties.first.end(), ties.beaten.begin(), ties.beaten.end(),
                      std::back_inserter(confidence.tied));
}

// Words, in their final form: after the control and the digests had their say.
void give_words(Confidence& confidence) {
  for (auto& [candidate, result] : confidence.candidates) {
    if (!result.interval) {
      continue;
    }
    result.evidence = evidence(*result.interval);
    if (!confidence.control_held) {
      result.evidence = lowered(*result.evidence);
    }
    if (result.result.vetoed) {
      result.evidence = Evidence::inconclusive;
    }
  }
}

void choose(const RoundTable& table, Confidence& confidence) {
  std::vector<Contender> all;
  std::vector<Contender> first;
  std::vector<std::size_t> tied;
  for (std::size_t at = 0; at < table.candidates.size(); ++at) {
    const CandidateConfidence& known = confidence.candidates[table.candidates[at]];
    const Contender contender{at, table.candidates[at],
                              known.interval ? known.interval->point : 0.0,
                              known.evidence.value_or(Evidence::inconclusive), known.result.vetoed};
    all.push_back(contender);
    if (std::find(confidence.tied.begin(), confidence.tied.end(), table.candidates[at]) !=
        confidence.tied.end()) {
      first.push_back(contender);
      tied.push_back(at);
    }
  }
  if (const Contender* best = preferred_of(first)) {
    confidence.preferred = best->candidate;
  }
  if (const Contender* proven = supported(all, tied)) {
    confidence.proven = proven->candidate;
  }
}

void check_digests(const std::vector<RunFigure>& runs, const RoundTable& table,
                   Confidence& confidence) {
  std::vector<RunDigests> digests(table.candidates.size());
  for (const RunFigure& run : runs) {
    const auto found = std::find(table.candidates.begin(), table.candidates.end(), run.candidate);
    if (found != table.candidates.end()) {
      digests[static_cast<std::size_t>(found - table.candidates.begin())].push_back(run.digest);
    }
  }
  const auto checks = check_results(digests);
  for (std::size_t at = 0; at < checks.size(); ++at) {
    confidence.candidates[table.candidates[at]].result = checks[at];
  }
}

void note_steps_and_drift(const std::vector<RunFigure>& runs, Confidence& confidence) {
  std::vector<TimedCost> baseline;
  std::set<Candidate> seen;
  for (const RunFigure& run : runs) {
    double& fewest = confidence.candidates[run.candidate].effective_steps;
    fewest = seen.insert(run.candidate).second ? run.effective_steps
                                               : std::min(fewest, run.effective_steps);
    if (run.candidate == kDefaultCandidate && run.start_s && run.median_us > 0.0) {
      baseline.push_back({*run.start_s, std::log(run.median_us)});
    }
  }
  confidence.drift = baseline_drift(baseline);
}

}  // namespace

RoundTable round_table(const std::vector<RunFigure>& runs,
                       const std::vector<Candidate>& candidates) {
  RoundTable table;
  table.candidates.push_back(kDefaultCandidate);
  for (const Candidate& candidate : candidates) {
    if (std::find(table.candidates.begin(), table.candidates.end(), candidate) ==
        table.candidates.end()) {
      table.candidates.push_back(candidate);
    }
  }
  std::map<int, std::size_t> rounds;
  for (const RunFigure& run : runs) {
    rounds[run.round] = 0;
  }
  std::size_t next = 0;
  for (auto& [round, place] : rounds) {
    place = next++;
  }
  for (const RunFigure& run : runs) {
    const auto found = std::find(table.candidates.begin(), table.candidates.end(), run.candidate);
    if (run.median_us <= 0.0 || found == table.candidates.end()) {
      continue;
    }
    const Observation observation{run.control
                                      ? table.candidates.size()
                                      : static_cast<std::size_t>(found - table.candidates.begin()),
                                  rounds[run.round], std::log(run.median_us)};
    (run.control ? table.control : table.runs).push_back(observation);
  }
  return table;
}

LooksTaken take_looks(const RoundTable& table, const SequentialRules& rules,
                      CriticalPoints& points) {
  Sequential sequential(table.candidates.size(), rules);
  LooksTaken taken;
  std::size_t rounds = 0;
  for (const Observation& run : table.runs) {
    rounds = std::max(rounds, run.round + 1);
  }
  // With no round at all there is a first one to ask for.
  for (std::size_t round = rounds == 0 ? 0 : 1; round <= rounds; ++round) {
    std::vector<Observation> known;
    std::copy_if(table.runs.begin(), table.runs.end(), std::back_inserter(known),
                 [round](const Observation& run) { return run.round < round; });
    taken.last = sequential.look(Layout(table.candidates.size(), known), points);
  }
  taken.progress = sequential.progress();
  taken.tied = sequential.tied_with_best();
  return taken;
}

RoundTable stage_table(const std::vector<RunFigure>& runs, const StageMembers& members,
                       std::size_t stage) {
  std::vector<RunFigure> of_stage;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(of_stage),
               [&](const RunFigure& run) { return run.stage == static_cast<int>(stage); });
  return round_table(of_stage, members.at(stage));
}

SequentialRules looking_rules(const ConfidenceRules& rules, std::size_t stage) {
  return rules.refine ? rules_of_stage(*rules.until_proven, stage) : *rules.until_proven;
}

Confidence confidence_of(const std::vector<RunFigure>& runs,
                         const std::vector<Candidate>& candidates, const ConfidenceRules& rules,
                         const StageMembers& members) {
  Confidence confidence;
  const RoundTable table = round_table(runs, candidates);
  CriticalPoints points;
  check_digests(runs, table, confidence);
  note_steps_and_drift(runs, confidence);
  if (table.candidates.size() > 1 && rules.until_proven) {
    weigh_looks(runs, members, rules, points, confidence);
  } else if (table.candidates.size() > 1) {
    weigh_fixed_rounds(table, points, confidence);
  }
  confidence.control = control_interval(table, points);
  confidence.control_held = !confidence.control || control_holds(*confidence.control);
  give_words(confidence);
  choose(table, confidence);
  return confidence;
}

}  // namespace mstune::coordinator
