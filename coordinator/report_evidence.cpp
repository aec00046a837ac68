#include "coordinator/report_evidence.h"

#include <algorithm>
#include <cmath>

#include "coordinator/inference/warmup.h"

namespace mstune::coordinator {
namespace {

template <typename... Arguments>
void add_line(std::string& text, std::string_view id,
              fmt::format_string<const Arguments&...> english, const Arguments&... arguments) {
  text += message(id, english, arguments...).text + '\n';
}

const CandidateConfidence* find(const Ranking& ranking, const Candidate& candidate) {
  const auto found = ranking.confidence.candidates.find(candidate);
  return found == ranking.confidence.candidates.end() ? nullptr : &found->second;
}

std::string names(const std::vector<Candidate>& candidates) {
  std::vector<std::string> texts;
  for (const Candidate& candidate : candidates) {
    texts.push_back(name(candidate));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

bool is_tied(const Ranking& ranking, const Candidate& candidate) {
  const auto& tied = ranking.confidence.tied;
  return std::find(tied.begin(), tied.end(), candidate) != tied.end();
}

void add_more_rounds(std::string& text, const CandidateConfidence& known) {
  if (known.more_rounds) {
    add_line(text, "evidence.more_rounds",
             "About {} more rounds would settle it: raise --repeat, or let --until-proven decide.",
             *known.more_rounds);
  }
}

void add_unproven(std::string& text, const Ranking& ranking, const CandidateConfidence& known) {
  add_line(text, "evidence.not_proven",
           "Evidence: that is not proven. With 95 % confidence {} is {} times as fast as default: "
           "{}.",
           name(ranking.recommended), interval_text(*known.interval),
           word(known.evidence.value_or(Evidence::inconclusive)));
  add_more_rounds(text, known);
}

// The evidence names another candidate than the sample's rule does.
void add_other_choice(std::string& text, const Ranking& ranking) {
  const Candidate& proven = ranking.confidence.proven;
  const CandidateConfidence* known = find(ranking, proven);
  add_line(text, "evidence.supports_other",
           "Evidence: it supports {} instead, which is proven: {} times as fast as default.",
           name(proven), interval_text(*known->interval));
  if (is_tied(ranking, proven) && is_tied(ranking, ranking.recommended)) {
    add_line(text, "evidence.fewer_streams",
             "{} and {} cannot be told apart, and {} takes fewer streams or is as good.",
             name(proven), name(ranking.recommended), name(proven));
  } else if (const auto* other = find(ranking, ranking.recommended); other && other->interval) {
    add_line(text, "evidence.other_interval", "{} is {} times as fast: {}.",
             name(ranking.recommended), interval_text(*other->interval),
             word(other->evidence.value_or(Evidence::inconclusive)));
  }
}

void add_open_questions(std::string& text, const Ranking& ranking) {
  std::vector<Candidate> open;
  std::size_t rounds = 0;
  for (const auto& [candidate, known] : ranking.confidence.candidates) {
    if (known.interval && !settled(*known.interval) && !known.behind) {
      open.push_back(candidate);
      rounds = std::max(rounds, known.more_rounds.value_or(0));
    }
  }
  if (open.empty()) {
    add_line(text, "evidence.default_settled",
             "Evidence: no candidate left open could still be 1.05 times as fast.");
  } else if (rounds > 0) {
    add_line(text, "evidence.default_open_rounds",
             "Evidence: not settled for {}; about {} more rounds would (--repeat, or "
             "--until-proven).",
             names(open), rounds);
  } else {
    add_line(text, "evidence.default_open", "Evidence: not settled for {}.", names(open));
  }
}

void add_support(std::string& text, const Ranking& ranking) {
  const Candidate& proven = ranking.confidence.proven;
  const CandidateConfidence* known = find(ranking, ranking.recommended);
  if (proven != kDefaultCandidate && proven != ranking.recommended) {
    add_other_choice(text, ranking);
  } else if (ranking.recommended == kDefaultCandidate) {
    add_open_questions(text, ranking);
  } else if (known == nullptr || !known->interval) {
    add_line(text, "evidence.no_interval",
             "Evidence: none; {} shares no round with default in which both are valid.",
             name(ranking.recommended));
  } else if (proven == ranking.recommended) {
    add_line(text, "evidence.proven",
             "Evidence: proven. With 95 % confidence {} is {} times as fast as default.",
             name(proven), interval_text(*known->interval));
  } else {
    add_unproven(text, ranking, *known);
  }
}

void add_ties(std::string& text, const Ranking& ranking) {
  if (ranking.confidence.tied.size() > 1) {
    add_line(text, "evidence.tied",
             "Cannot be told from the best: {}. Fewest streams among them: {}.",
             names(ranking.confidence.tied), name(ranking.confidence.preferred));
  }
}

void add_results(std::string& text, const Ranking& ranking) {
  for (const auto& [candidate, known] : ranking.confidence.candidates) {
    if (known.result.result == SameResult::nondeterministic) {
      add_line(text, "evidence.nondeterministic",
               "Results: the runs of {} do not compute the same (their digests differ).",
               name(candidate));
    }
    if (known.result.vetoed) {
      add_line(text, "evidence.different_result",
               "Results: {} computes something else than default (its digest differs): it is "
               "neither proven nor recommended, however fast.",
               name(candidate));
    }
  }
}

void add_control(std::string& text, const Confidence& confidence) {
  if (!confidence.control) {
    return;
  }
  if (confidence.control_held) {
    add_line(text, "evidence.control_held",
             "A/A control: default against itself is {} times as fast, which holds 1: good.",
             interval_text(*confidence.control));
  } else {
    add_line(text, "evidence.control_failed",
             "A/A control: default against itself is {} times as fast, which leaves 1 out. The box "
             "makes differences that no candidate made, so every evidence word is lowered.",
             interval_text(*confidence.control));
  }
}

void add_confirmation(std::string& text, const Confidence& confidence) {
  if (confidence.confirmation) {
    const Interval& interval = confidence.confirmation->interval;
    add_line(
        text, "evidence.confirmation",
        "In {} fresh rounds: {} is {} times as fast as default ({}, 95 %). This figure is free of "
        "the luck that helped to choose it.",
        confidence.confirmation->rounds, name(confidence.confirmation->candidate),
        fmt::format("{:.3f}", std::exp(interval.point)), interval_text(interval));
  }
}

void add_drift(std::string& text, const Confidence& confidence) {
  constexpr double kWorthSaying = 0.001;  // below a tenth of a percent nobody needs to know
  if (!confidence.drift) {
    return;
  }
  const Drift& drift = *confidence.drift;
  const double change = std::expm1(drift.log_change);
  if (drift.p_value < kDriftSignificance && std::abs(change) >= kWorthSaying) {
    add_line(text, "evidence.drift",
             "Drift: default became {} % {} while the campaign ran (p = {}). Candidates are "
             "compared within rounds, so a steady drift favours none.",
             fmt::format("{:.1f}", 100 * std::abs(change)), change > 0 ? "slower" : "faster",
             fmt::format("{:.3f}", drift.p_value));
  }
}

void add_short_runs(std::string& text, const Ranking& ranking) {
  std::vector<std::string> texts;
  for (const Summary& summary : ranking.summaries) {
    const CandidateConfidence* known = find(ranking, summary.candidate);
    if (summary.figures && known != nullptr && known->effective_steps < kFewestEffectiveSteps) {
      texts.push_back(fmt::format("{} ({:.1f})", name(summary.candidate), known->effective_steps));
    }
  }
  if (!texts.empty()) {
    add_line(text, "evidence.short_runs",
             "Hint: a run counts as fewer than 10 independent steps, because it is short or its "
             "steps resemble their neighbours: {}. Let the program execute more steps.",
             fmt::format("{}", fmt::join(texts, ", ")));
  }
}

}  // namespace

std::string interval_text(const Interval& interval) {
  return fmt::format("{:.3f} to {:.3f}", std::exp(interval.low), std::exp(interval.high));
}

std::string evidence_text(const Ranking& ranking) {
  std::string text;
  if (!ranking.any_data()) {
    return text;
  }
  if (ranking.confidence.any()) {
    add_support(text, ranking);
    add_ties(text, ranking);
  } else if (ranking.summaries.size() > 1) {
    add_line(text, "evidence.too_few_rounds",
             "Evidence: too few rounds to say how sure this is; give --repeat 3 or more.");
  }
  add_results(text, ranking);
  add_confirmation(text, ranking.confidence);
  add_control(text, ranking.confidence);
  add_drift(text, ranking.confidence);
  add_short_runs(text, ranking);
  return text;
}

}  // namespace mstune::coordinator
