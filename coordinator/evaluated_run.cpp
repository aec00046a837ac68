#include "coordinator/evaluated_run.h"

#include <utility>

#include "coordinator/digest_pattern.h"
#include "coordinator/fallback_reasons.h"
#include "coordinator/joint_ranking.h"
#include "coordinator/output_end.h"
#include "coordinator/trial_cause.h"
#include "coordinator/trial_digest.h"
#include "coordinator/trial_records.h"

namespace mstune::coordinator {
namespace {

bool has_logs(const std::filesystem::path& trial) {
  return std::filesystem::exists(trial / "steps.log") ||
         std::filesystem::exists(trial / "stdout.log") || std::filesystem::exists(trial / "plog");
}

}  // namespace

EvaluatedTrial evaluate_on_disk(const TrialOnDisk& trial, const CampaignDocument& campaign,
                                bool plain, const std::function<void(const StepSet&)>& seen) {
  EvaluatedTrial result{trial.saved.trial, trial.saved.attempt, trial.saved.outcome, {}, {}};
  if (trial.missing) {
    if (result.outcome.exit_code && result.outcome.reasons.empty()) {
      result.outcome.reasons.push_back(
          {"directory_missing",
           message("analyze.directory_missing", "its directory is missing from the run")});
    }
    result.evaluation = evaluate_unrun(result.outcome);
    return result;
  }
  // It was given up before it could begin: there is nothing to look for.
  const bool never_ran = !plain && !result.outcome.exit_code && !result.outcome.exit_unknown &&
                         !result.outcome.reasons.empty() && !has_logs(trial.directory);
  if (never_ran) {
    result.evaluation = evaluate_unrun(result.outcome);
    return result;
  }
  const RecordLog log =
      plain ? read_plain_records(trial.directory) : read_trial_records(trial.directory);
  const StepSet steps(log);
  if (plain) {
    add_fallbacks(read_fallbacks(trial.directory), result.outcome);
  }
  result.evaluation = evaluate(steps, trial.saved.config, result.outcome, campaign.gates);
  if (!result.evaluation.valid) {
    result.outcome.output_end = output_end(trial.directory / "stdout.log");
  }
  result.digest = read_digest(trial.directory, campaign.digest_pattern);
  if (seen) {
    seen(steps);
  }
  return result;
}

EvaluatedRun read_evaluated_run(const std::filesystem::path& directory) {
  SavedRun saved = read_saved_run(directory);
  EvaluatedRun run{saved.directory, std::move(saved.campaign), {}, {}, std::move(saved.notes)};
  check_digest_pattern(run.campaign.digest_pattern, "the campaign's digest_pattern");
  for (const TrialOnDisk& trial : saved.trials) {
    run.trials.push_back(evaluate_on_disk(trial, run.campaign, false));
  }
  name_causes(run.campaign, run.trials);
  run.ranking = rank_run(run.campaign, run.trials);
  return run;
}

}  // namespace mstune::coordinator
