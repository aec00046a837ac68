#include "coordinator/report_evidence.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "coordinator/inference/warmup.h"
#include "coordinator/message_list.h"
#include "coordinator/shown_words.h"

namespace mstune::coordinator {
namespace {

bool is_tied(const Ranking& ranking, const Candidate& candidate) {
  const auto& tied = ranking.confidence.tied;
  return std::find(tied.begin(), tied.end(), candidate) != tied.end();
}

void add_more_rounds(Messages& lines, const CandidateConfidence& known) {
  if (known.more_rounds) {
    add_line(lines, "evidence.more_rounds",
             "About {} more rounds would settle it: raise --repeat, or let --until-proven decide "
             "with a --max-repeat that allows them.",
             *known.more_rounds);
  }
}

void add_unproven(Messages& lines, const Ranking& ranking, const CandidateConfidence& known) {
  add_line(lines, "evidence.not_proven",
           "Evidence: that is not proven. With 95 % confidence {} is {} times as fast as default: "
           "{}.",
           name(ranking.recommended), interval_message(*known.interval),
           word_message(known.evidence.value_or(Evidence::inconclusive)));
  add_more_rounds(lines, known);
}

// The evidence names another candidate than the sample's rule does.
void add_other_choice(Messages& lines, const Ranking& ranking) {
  const Candidate& proven = ranking.confidence.proven;
  const CandidateConfidence* known = confidence_in(ranking, proven);
  add_line(lines, "evidence.supports_other",
           "Evidence: it supports {} instead, which is proven: {} times as fast as default.",
           name(proven), interval_message(*known->interval));
  if (is_tied(ranking, proven) && is_tied(ranking, ranking.recommended)) {
    add_line(lines, "evidence.fewer_streams",
             "{} and {} cannot be told apart, and {} takes fewer streams or is as good.",
             name(proven), name(ranking.recommended), name(proven));
  } else if (const auto* other = confidence_in(ranking, ranking.recommended);
             other && other->interval) {
    add_line(lines, "evidence.other_interval", "{} is {} times as fast: {}.",
             name(ranking.recommended), interval_message(*other->interval),
             word_message(other->evidence.value_or(Evidence::inconclusive)));
  }
}

void add_open_questions(Messages& lines, const Ranking& ranking) {
  std::vector<Candidate> open;
  std::size_t rounds = 0;
  for (const auto& [candidate, known] : ranking.confidence.candidates) {
    if (known.interval && !settled(*known.interval) && !known.behind) {
      open.push_back(candidate);
      rounds = std::max(rounds, known.more_rounds.value_or(0));
    }
  }
  if (open.empty()) {
    add_line(lines, "evidence.default_settled",
             "Evidence: no candidate left open could still be 1.05 times as fast.");
  } else if (rounds > 0) {
    add_line(lines, "evidence.default_open_rounds",
             "Evidence: not settled for {}; about {} more rounds would (--repeat, or "
             "--until-proven).",
             name_list(open), rounds);
  } else {
    add_line(lines, "evidence.default_open", "Evidence: not settled for {}.", name_list(open));
  }
}

void add_support(Messages& lines, const Ranking& ranking) {
  const Candidate& proven = ranking.confidence.proven;
  const CandidateConfidence* known = confidence_in(ranking, ranking.recommended);
  if (proven != kDefaultCandidate && proven != ranking.recommended) {
    add_other_choice(lines, ranking);
  } else if (ranking.recommended == kDefaultCandidate) {
    add_open_questions(lines, ranking);
  } else if (known == nullptr || !known->interval) {
    add_line(lines, "evidence.no_interval",
             "Evidence: none; {} shares no round with default in which both are valid.",
             name(ranking.recommended));
  } else if (proven == ranking.recommended) {
    add_line(lines, "evidence.proven",
             "Evidence: proven. With 95 % confidence {} is {} times as fast as default.",
             name(proven), interval_message(*known->interval));
  } else {
    add_unproven(lines, ranking, *known);
  }
}

void add_ties(Messages& lines, const Ranking& ranking) {
  if (ranking.confidence.tied.size() > 1) {
    add_line(lines, "evidence.tied",
             "Cannot be told from the best: {}. Fewest streams among them: {}.",
             name_list(ranking.confidence.tied), name(ranking.confidence.preferred));
  }
}

void add_results(Messages& lines, const Ranking& ranking) {
  for (const auto& [candidate, known] : ranking.confidence.candidates) {
    if (known.result.result == SameResult::nondeterministic) {
      add_line(lines, "evidence.nondeterministic",
               "Results: the runs of {} do not compute the same (their digests differ).",
               name(candidate));
    }
    if (known.result.vetoed) {
      add_line(lines, "evidence.different_result",
               "Results: {} computes something else than default (its digest differs): it is "
               "neither proven nor recommended, however fast.",
               name(candidate));
    }
  }
}

void add_control(Messages& lines, const Confidence& confidence) {
  if (!confidence.control) {
    return;
  }
  if (confidence.control_held) {
    add_line(lines, "evidence.control_held",
             "A/A control: default against itself is {} times as fast, which holds 1: good.",
             interval_message(*confidence.control));
  } else {
    add_line(lines, "evidence.control_failed",
             "A/A control: default against itself is {} times as fast, which leaves 1 out. The box "
             "makes differences that no candidate made, so every evidence word is lowered.",
             interval_message(*confidence.control));
  }
}

void add_confirmation(Messages& lines, const Confidence& confidence) {
  if (confidence.confirmation) {
    const Interval& interval = confidence.confirmation->interval;
    add_line(
        lines, "evidence.confirmation",
        "In {} fresh rounds: {} is {} times as fast as default ({}, 95 %). This figure is free of "
        "the luck that helped to choose it.",
        confidence.confirmation->rounds, name(confidence.confirmation->candidate),
        fmt::format("{:.3f}", std::exp(interval.point)), interval_message(interval));
  }
}

void add_drift(Messages& lines, const Confidence& confidence) {
  constexpr double kWorthSaying = 0.001;  // below a tenth of a percent nobody needs to know
  if (!confidence.drift) {
    return;
  }
  const Drift& drift = *confidence.drift;
  const double change = std::expm1(drift.log_change);
  if (drift.p_value < kDriftSignificance && std::abs(change) >= kWorthSaying) {
    add_line(lines, "evidence.drift",
             "Drift: default became {} % {} while the campaign ran (p = {}). Candidates are "
             "compared within rounds, so a steady drift favours none.",
             fmt::format("{:.1f}", 100 * std::abs(change)),
             change > 0 ? message("word.slower", "slower") : message("word.faster", "faster"),
             fmt::format("{:.3f}", drift.p_value));
  }
}

void add_short_runs(Messages& lines, const Ranking& ranking) {
  std::vector<std::string> texts;
  for (const Summary& summary : ranking.summaries) {
    const CandidateConfidence* known = confidence_in(ranking, summary.candidate);
    if (summary.figures && known != nullptr && known->effective_steps < kFewestEffectiveSteps) {
      texts.push_back(fmt::format("{} ({:.1f})", name(summary.candidate), known->effective_steps));
    }
  }
  if (!texts.empty()) {
    add_line(lines, "evidence.short_runs",
             "Hint: a run counts as fewer than 10 independent steps, because it is short or its "
             "steps resemble their neighbours: {}. Let the program execute more steps.",
             fmt::format("{}", fmt::join(texts, ", ")));
  }
}

}  // namespace

std::vector<Message> evidence_messages(const Ranking& ranking) {
  Messages lines;
  if (!ranking.any_data()) {
    return lines;
  }
  if (ranking.confidence.any()) {
    add_support(lines, ranking);
    add_ties(lines, ranking);
  } else if (ranking.summaries.size() > 1) {
    add_line(lines, "evidence.too_few_rounds",
             "Evidence: too few rounds to say how sure this is; give --repeat 3 or more.");
  }
  add_results(lines, ranking);
  add_confirmation(lines, ranking.confidence);
  add_control(lines, ranking.confidence);
  add_drift(lines, ranking.confidence);
  add_short_runs(lines, ranking);
  return lines;
}

}  // namespace mstune::coordinator
