#include "coordinator/report_table.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "coordinator/report_evidence.h"

namespace mstune::coordinator {
namespace {

constexpr std::string_view kModeVariable = "GE_AUTO_MULTISTREAM_PARALLEL_MODE";

template <typename... Arguments>
void add_line(std::string& text, std::string_view id,
              fmt::format_string<const Arguments&...> english, const Arguments&... arguments) {
  text += message(id, english, arguments...).text + '\n';
}

std::string milliseconds(double microseconds) {
  return fmt::format("{:.3f}", microseconds / 1000);
}

using Row = std::vector<std::string>;

// The two columns that are there when there is something to say in them.
void add_evidence_cells(Row& row, const CandidateConfidence& known) {
  row.push_back(known.interval ? interval_text(*known.interval) : "-");
  std::string evidence = known.evidence ? std::string(word(*known.evidence)) : "-";
  if (known.result.vetoed) {
    evidence = "other result";
  }
  row.push_back(evidence);
}

Row row_of(const Summary& summary) {
  Row row{name(summary.candidate),
          fmt::format("{}/{}", summary.valid_trials, summary.trials),
          "0",
          "-",
          "-",
          "-",
          "-",
          "-",
          std::string(word(summary.verdict))};
  if (const auto& figures = summary.figures) {
    row[2] = fmt::format("{}", figures->count);
    row[3] = milliseconds(figures->mean_us);
    row[4] = milliseconds(figures->median_us);
    row[5] = milliseconds(figures->p90_us);
    row[6] = fmt::format("{:.3f}", figures->cv);
  }
  if (summary.speedup) {
    row[7] = fmt::format("{:.3f}", *summary.speedup);
  }
  return row;
}

// Words start at the left, figures end at the right; nothing follows the last column.
std::string table(const std::vector<Row>& rows) {
  constexpr std::array<bool, 11> kWords{true,  false, false, false, false, false,
                                        false, false, true,  false, true};
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t column = 0; column + 1 < row.size(); ++column) {
      text += kWords.at(column) ? fmt::format("  {:<{}}", row[column], widths[column])
                                : fmt::format("  {:>{}}", row[column], widths[column]);
    }
    text += fmt::format("  {}\n", row.back());
  }
  return text;
}

const Summary* find(const Ranking& ranking, const Candidate& candidate) {
  const auto found =
      std::find_if(ranking.summaries.begin(), ranking.summaries.end(),
                   [&](const Summary& summary) { return summary.candidate == candidate; });
  return found == ranking.summaries.end() ? nullptr : &*found;
}

void add_recommendation(std::string& text, const Ranking& ranking) {
  const Summary* best = find(ranking, ranking.recommended);
  if (ranking.recommended != kDefaultCandidate && best != nullptr && best->figures &&
      best->speedup) {
    add_line(text, "report.recommended",
             "Recommended: {}, {} times as fast as default, median step {} ms.",
             name(best->candidate), fmt::format("{:.3f}", *best->speedup),
             milliseconds(best->figures->median_us));
  } else if (!ranking.any_data()) {
    add_line(text, "report.no_data",
             "No candidate has valid data, so nothing can be compared: keep default. The reasons "
             "stand with the trials above and in summary.json.");
  } else if (best == nullptr || !best->figures) {
    add_line(text, "report.no_baseline",
             "Keep default: it has no valid trial of its own, so nothing can be compared with "
             "it.");
  } else {
    add_line(text, "report.keep_default",
             "Keep default: no candidate is at least {} times as fast.",
             fmt::format("{:.2f}", kImprovementSpeedup));
  }
}

void add_hints(std::string& text, const Ranking& ranking) {
  for (const Summary& summary : ranking.summaries) {
    if (!summary.figures) {
      continue;
    }
    if (summary.figures->cv > kUnstableCv) {
      add_line(text, "report.unstable",
               "Hint: the steps of {} vary much (CV {} is above {}): repeat more (--repeat), let a "
               "run take more steps, and see that profiling is off and nothing else uses the "
               "device.",
               name(summary.candidate), fmt::format("{:.3f}", summary.figures->cv),
               fmt::format("{:.2f}", kUnstableCv));
    }
    if (summary.figures->median_us == 0.0) {
      add_line(text, "report.median_of_zero",
               "Hint: the median step of {} is 0 us, below what the clock resolves: no ratio can "
               "be made of it. Let a step do more work.",
               name(summary.candidate));
    }
  }
}

void add_reproduction(std::string& text, const CampaignDocument& campaign,
                      const std::string& candidate) {
  if (campaign.compile_command) {
    add_line(text, "report.reproduce_build", "To reproduce, build: {}={} {}", kModeVariable,
             candidate, *campaign.compile_command);
    if (!campaign.command.empty()) {
      add_line(text, "report.reproduce_run", "       and then run: {}", campaign.command);
    }
  } else if (!campaign.command.empty()) {
    add_line(text, "report.reproduce", "To reproduce: {}={} {}", kModeVariable, candidate,
             campaign.command);
  }
}

void add_production(std::string& text, const CampaignDocument& campaign, const Ranking& ranking) {
  const std::string candidate = name(ranking.recommended);
  if (ranking.recommended == kDefaultCandidate) {
    add_line(text, "report.production_default",
             "For production: remove the tuning pass, so that no step is recorded any more.");
    return;
  }
  if (campaign.compile_command) {
    add_line(text, "report.production_offline",
             "For production: build with atc --multi_stream_parallel_mode={} (it sets "
             "ge.autoMultistreamParallelMode) after removing the tuning pass, so that no step is "
             "recorded any more.",
             candidate);
    return;
  }
  add_line(text, "report.production_online",
           "For production: set the session option ge.autoMultistreamParallelMode={} and remove "
           "the tuning pass, so that no step is recorded any more.",
           candidate);
}

std::string ending_text(const TrialOutcome& outcome) {
  if (outcome.exit_unknown) {
    return message("report.exit_unknown", "exit status unknown").text;
  }
  if (!outcome.exit_code) {
    return message("report.not_started", "not started").text;
  }
  if (*outcome.exit_code < 0) {
    return message("report.signal", "ended by signal {}", -*outcome.exit_code).text;
  }
  return message("report.exit_status", "exit status {}", *outcome.exit_code).text;
}

}  // namespace

std::string report_table(const CampaignDocument& campaign, const Ranking& ranking) {
  std::string text;
  add_line(text, "report.title", "Candidates by median step time:");
  std::vector<Row> rows{{"candidate", "valid", "steps", "mean(ms)", "median(ms)", "P90(ms)", "CV",
                         "speedup", "verdict"}};
  std::transform(ranking.summaries.begin(), ranking.summaries.end(), std::back_inserter(rows),
                 row_of);
  if (ranking.confidence.any()) {
    rows.front().insert(rows.front().end(), {"95 % interval", "evidence"});
    for (std::size_t at = 0; at < ranking.summaries.size(); ++at) {
      add_evidence_cells(rows[at + 1],
                         ranking.confidence.candidates.at(ranking.summaries[at].candidate));
    }
  }
  text += table(rows) + '\n';
  add_recommendation(text, ranking);
  text += evidence_text(ranking);
  add_hints(text, ranking);
  if (ranking.any_data()) {
    add_reproduction(text, campaign, name(ranking.recommended));
    add_production(text, campaign, ranking);
  }
  return text;
}

std::string trial_result_text(const EvaluatedTrial& trial) {
  const TrialEvaluation& evaluation = trial.evaluation;
  std::string text = message("report.trial", "{}, {} steps, {}", ending_text(trial.outcome),
                             evaluation.step_count, evaluation.valid ? "valid" : "does not count")
                         .text;
  if (trial.outcome.wall_seconds) {
    text += ", " + duration_text(*trial.outcome.wall_seconds);
  }
  for (const Reason& reason : evaluation.reasons) {
    text += fmt::format("\n      {}", reason.sentence.text);
  }
  for (const Message& warning : evaluation.warnings) {
    text += fmt::format("\n      note: {}", warning.text);
  }
  return text;
}

}  // namespace mstune::coordinator
