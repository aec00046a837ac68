#include "coordinator/report_table.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "common/language.h"
#include "coordinator/message_list.h"
#include "coordinator/report_devices.h"
#include "coordinator/report_evidence.h"
#include "coordinator/shown_words.h"
#include "coordinator/text_table.h"

namespace mstune::coordinator {
namespace {

using Row = std::vector<std::string>;

// The two columns that are there when there is something to say in them.
void add_evidence_cells(Row& row, const CandidateConfidence& known) {
  row.push_back(known.interval ? said(interval_message(*known.interval)) : "-");
  std::string evidence = known.evidence ? said(word_message(*known.evidence)) : "-";
  if (known.result.vetoed) {
    evidence = said(message("word.other_result", "other result"));
  }
  row.push_back(evidence);
}

Row heads() {
  return {said(message("table.candidate", "candidate")),
          said(message("table.valid", "valid")),
          said(message("table.steps", "steps")),
          said(message("table.mean", "mean(ms)")),
          said(message("table.median", "median(ms)")),
          said(message("table.p90", "P90(ms)")),
          said(message("table.cv", "CV")),
          said(message("table.speedup", "speedup")),
          said(message("table.verdict", "verdict"))};
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
          said(word_message(summary.verdict))};
  row[2] = fmt::format("{}", summary.steps);
  if (const auto& figures = summary.figures) {
    row[3] = milliseconds_text(figures->mean_us);
    row[4] = milliseconds_text(figures->median_us);
    row[5] = milliseconds_text(figures->p90_us);
    row[6] = fmt::format("{:.3f}", figures->cv);
  }
  if (summary.speedup) {
    row[7] = fmt::format("{:.3f}", *summary.speedup);
  }
  return row;
}

void add_recommendation(Messages& lines, const Ranking& ranking) {
  const Summary* best = summary_of(ranking, ranking.recommended);
  if (ranking.recommended != kDefaultCandidate && best != nullptr && best->speedup &&
      !ranking.devices.empty()) {
    const auto devices =
        std::count_if(ranking.devices.begin(), ranking.devices.end(),
                      [](const PartRanking& device) { return device.valid_trials > 0; });
    const std::string speedup = fmt::format("{:.3f}", *best->speedup);
    if (devices > 1) {
      add_line(lines, "report.recommended_jointly",
               "Recommended: {}, {} times as fast as default (geometric mean over {} devices).",
               name(best->candidate), speedup, devices);
    } else {
      add_line(lines, "report.recommended_on_one",
               "Recommended: {}, {} times as fast as default (measured on one device).",
               name(best->candidate), speedup);
    }
  } else if (ranking.recommended != kDefaultCandidate && best != nullptr && best->figures &&
             best->speedup) {
    add_line(lines, "report.recommended",
             "Recommended: {}, {} times as fast as default, median step {} ms.",
             name(best->candidate), fmt::format("{:.3f}", *best->speedup),
             milliseconds_text(best->figures->median_us));
  } else if (!ranking.any_data()) {
    add_line(lines, "report.no_data",
             "No candidate has valid data, so nothing can be compared: keep default. The reasons "
             "stand with the trials above and in summary.json.");
  } else if (best == nullptr || best->steps == 0) {
    add_line(lines, "report.no_baseline",
             "Keep default: it has no valid trial of its own, so nothing can be compared with "
             "it.");
  } else {
    add_line(lines, "report.keep_default",
             "Keep default: no candidate is at least {} times as fast.",
             fmt::format("{:.2f}", kImprovementSpeedup));
  }
}

void add_hints(Messages& lines, const Ranking& ranking) {
  std::vector<std::string> unstable;
  for (const Summary& summary : ranking.summaries) {
    if (!summary.figures) {
      continue;
    }
    if (summary.figures->cv > kUnstableCv) {
      unstable.push_back(fmt::format("{} ({:.3f})", name(summary.candidate), summary.figures->cv));
    }
    if (summary.figures->median_us == 0.0) {
      add_line(lines, "report.median_of_zero",
               "Hint: the median step of {} is 0 us, below what the clock resolves: no ratio can "
               "be made of it. Let a step do more work.",
               name(summary.candidate));
    }
  }
  if (!unstable.empty()) {
    add_line(lines, "report.unstable",
             "Hint: steps vary much (their CV is above {}): {}. Repeat more (--repeat), let a "
             "run take more steps, and see that profiling is off and nothing else uses the device.",
             fmt::format("{:.2f}", kUnstableCv), fmt::format("{}", fmt::join(unstable, ", ")));
  }
}

void add_reproduction(Messages& lines, const CampaignDocument& campaign,
                      const std::string& candidate) {
  if (campaign.compile_command) {
    add_line(lines, "report.reproduce_build", "To reproduce, build: {}={} {}", kModeVariable,
             candidate, *campaign.compile_command);
    if (!campaign.command.empty()) {
      add_line(lines, "report.reproduce_run", "       and then run: {}", campaign.command);
    }
  } else if (!campaign.command.empty()) {
    add_line(lines, "report.reproduce", "To reproduce: {}={} {}", kModeVariable, candidate,
             campaign.command);
  }
}

void add_production(Messages& lines, const CampaignDocument& campaign, const Ranking& ranking) {
  const std::string candidate = name(ranking.recommended);
  if (ranking.recommended == kDefaultCandidate) {
    add_line(lines, "report.production_default",
             "For production: remove the tuning pass, so that no step is recorded any more.");
    return;
  }
  if (campaign.compile_command) {
    add_line(lines, "report.production_offline",
             "For production: build with atc --multi_stream_parallel_mode={} (it sets "
             "ge.autoMultistreamParallelMode) after removing the tuning pass, so that no step is "
             "recorded any more.",
             candidate);
    return;
  }
  add_line(lines, "report.production_online",
           "For production: set the session option ge.autoMultistreamParallelMode={} and remove "
           "the tuning pass, so that no step is recorded any more.",
           candidate);
}

Message ending_message(const TrialOutcome& outcome) {
  if (outcome.exit_unknown) {
    return message("report.exit_unknown", "exit status unknown");
  }
  if (!outcome.exit_code) {
    return message("report.not_started", "not started");
  }
  if (*outcome.exit_code < 0) {
    return message("report.signal", "ended by signal {}", -*outcome.exit_code);
  }
  return message("report.exit_status", "exit status {}", *outcome.exit_code);
}

}  // namespace

std::vector<Message> recommendation_messages(const Ranking& ranking) {
  Messages lines;
  add_recommendation(lines, ranking);
  for (Message& line : evidence_messages(ranking)) {
    lines.push_back(std::move(line));
  }
  add_hints(lines, ranking);
  return lines;
}

std::vector<Message> production_messages(const CampaignDocument& campaign, const Ranking& ranking) {
  Messages lines;
  if (ranking.any_data()) {
    add_reproduction(lines, campaign, name(ranking.recommended));
    add_production(lines, campaign, ranking);
  }
  return lines;
}

std::string report_table(const CampaignDocument& campaign, const Ranking& ranking) {
  std::string text =
      said(campaign.fleet
               ? message("report.joint_title",
                         "Candidates by speedup over default on the same device in the same round:")
               : message("report.title", "Candidates by median step time:")) +
      '\n';
  std::vector<Row> rows{heads()};
  std::transform(ranking.summaries.begin(), ranking.summaries.end(), std::back_inserter(rows),
                 row_of);
  if (ranking.confidence.any()) {
    rows.front().push_back(said(message("table.interval", "95 % interval")));
    rows.front().push_back(said(message("table.evidence", "evidence")));
    for (std::size_t at = 0; at < ranking.summaries.size(); ++at) {
      add_evidence_cells(rows[at + 1],
                         ranking.confidence.candidates.at(ranking.summaries[at].candidate));
    }
  }
  using enum Column;
  text += text_table(rows, {words, figures, figures, figures, figures, figures, figures, figures,
                            words, figures, words}) +
          '\n';
  for (const Message& line : recommendation_messages(ranking)) {
    text += said(line) + '\n';
  }
  for (const Message& line : devices_messages(campaign, ranking)) {
    text += said(line) + '\n';
  }
  for (const Message& line : production_messages(campaign, ranking)) {
    text += said(line) + '\n';
  }
  return text;
}

std::string trial_result_text(const EvaluatedTrial& trial) {
  const TrialEvaluation& evaluation = trial.evaluation;
  const Message counts = evaluation.valid ? message("word.valid", "valid")
                                          : message("word.does_not_count", "does not count");
  const Message ending = ending_message(trial.outcome);
  std::string text = said(
      trial.outcome.wall_seconds
          ? message("report.trial", "{}, {} steps, {}, {}", ending, evaluation.step_count, counts,
                    duration_text(*trial.outcome.wall_seconds))
          : message("report.trial", "{}, {} steps, {}", ending, evaluation.step_count, counts));
  for (const Reason& reason : evaluation.reasons) {
    text += "\n      " + said(reason.sentence);
  }
  for (const Message& warning : evaluation.warnings) {
    text += "\n      " + said(message("progress.note", "note: {}", warning));
  }
  return text;
}

}  // namespace mstune::coordinator
