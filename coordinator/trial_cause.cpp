#include "coordinator/trial_cause.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "coordinator/error_codes.h"
#include "coordinator/trial_case.h"

namespace mstune::coordinator {
namespace {

// The log library writes every 0.2 s; what was not written is lost with a process that is killed.
constexpr double kTailSeconds = 0.5;

// ---- how the program ended ----

// The records themselves say it best; then what the program printed.
Cause device_error(const Case& trial) {
  if (trial.evaluation().signs.error != 0) {
    return cause_of_code(trial.evaluation().signs.error, trial.context().chips);
  }
  return std::nullopt;
}

Cause printed_code(const Case& trial) {
  if (trial.exit_code() == 0 && !trial.has("no_record")) {
    return std::nullopt;
  }
  auto causes = causes_in(trial.outcome().output_end, trial.context().chips);
  return causes.empty() ? std::nullopt : Cause(std::move(causes.front()));
}

Cause killed(const Case& trial) {
  if (trial.signal() != SIGKILL) {
    return std::nullopt;
  }
  return Reason{"out_of_memory",
                message("cause.out_of_memory",
                        "it was ended by SIGKILL, and the usual reason is memory: the kernel's log "
                        "(dmesg) or the container's limit tells. Give it more, or run fewer "
                        "processes or a smaller batch; where a launcher ended it, see that one's "
                        "output")};
}

Cause lost_with_signal(const Case& trial) {
  if (trial.signal() == 0 || trial.evaluation().step_count == 0) {
    return std::nullopt;
  }
  return Reason{"tail_missing",
                message("cause.ended_by_signal",
                        "it was ended by signal {}, and up to 0.2 s of its records are lost with "
                        "it: let the program end by return or exit, or set "
                        "ASCEND_LOG_SYNC_SAVE=1 for it",
                        trial.signal())};
}

Cause failed(const Case& trial) {
  if (!trial.has("exit_status") && !trial.has("killed")) {
    return std::nullopt;
  }
  return Reason{"program_failed",
                message("cause.program_failed",
                        "the program failed: start its command by hand in the same environment; "
                        "what it printed is in the trial's stdout.log")};
}

// ---- the program left, or left records behind ----

Cause program_left(const Case& trial) {
  if (!trial.is_positive("left_running") || !trial.lacks_records()) {
    return std::nullopt;
  }
  return Reason{"program_left",
                message("cause.program_left",
                        "the program returned after {} and left {} processes running, which were "
                        "ended with the trial: {}. Let it run in the foreground and wait for what "
                        "it started",
                        duration_text(trial.outcome().wall_seconds.value_or(0)),
                        *trial.number("left_running"), trial.text("left_running_names"))};
}

bool ends_with_last_record(const Case& trial) {
  const auto end_us = trial.number("exit_wall_us");
  const auto& last_s = trial.evaluation().signs.last_end_s;
  return end_us && last_s && static_cast<double>(*end_us) / 1e6 - *last_s < kTailSeconds;
}

// Others of this campaign got further. Programs that run for a time and not for a number of steps
// have other counts each time, so a trial that counts is doubted only where others agree.
bool has_fewer_steps(const Case& trial) {
  const std::uint64_t steps = trial.evaluation().step_count;
  const auto& counts = trial.context().step_counts;
  return std::any_of(counts.upper_bound(steps), counts.end(),
                     [&](const auto& count) { return !trial.is_valid() || count.second >= 2; });
}

Cause tail_missing(const Case& trial) {
  const bool is_cut = !trial.text("plog_cut").empty();
  const bool stopped =
      trial.exit_code() == 0 && ends_with_last_record(trial) && has_fewer_steps(trial);
  const bool lost_all =
      trial.has("no_record") && trial.exit_code() == 0 && !trial.context().step_counts.empty();
  if (!is_cut && !stopped && !lost_all) {
    return std::nullopt;
  }
  return Reason{"tail_missing",
                message("cause.tail_missing",
                        "its last records are missing: a process that ends by _exit, os._exit or a "
                        "kill loses up to 0.2 s of its log. Let each end by return or exit, or set "
                        "ASCEND_LOG_SYNC_SAVE=1 for it")};
}

// ---- what the records say ----

Cause two_programs(const Case& trial) {
  if (!trial.has("conflict")) {
    return std::nullopt;
  }
  if (trial.evaluation().signs.conflict_on_stdout) {
    return Reason{"forks_on_stdout",
                  message("cause.forks_on_stdout",
                          "its log is printed to stdout, where all forked processes bear the "
                          "number of the first, so their records cannot be told apart: unset "
                          "ASCEND_LOG_PRINT_TO_STDOUT and ASCEND_SLOG_PRINT_TO_STDOUT where the "
                          "program or its wrapper sets them")};
  }
  return Reason{"two_programs",
                message("cause.two_programs",
                        "one process ran two programs that record, the second by exec, and both "
                        "count their steps from 0: start the second as a process of its own, or "
                        "tune them one by one")};
}

// `where`: what stands in its way.
Reason mode_not_passed(const std::string& where) {
  return {"mode_not_passed",
          message("cause.mode_not_passed",
                  "the candidate did not reach the program: on the way "
                  "GE_AUTO_MULTISTREAM_PARALLEL_MODE was lost or changed ({}). Let the "
                  "wrapper or launcher pass it on; docs/program.md says what to write",
                  where)};
}

// Without the variable the pass does nothing, so nothing is recorded in the log that is there.
Cause mode_lost(const Case& trial) {
  if (!trial.has("no_record") || trial.has_no_log() || !is_missing(trial, kModeVariable)) {
    return std::nullopt;
  }
  return mode_not_passed(missing_variables(trial));
}

Cause other_mode(const Case& trial) {
  if (!trial.has("mode_mismatch")) {
    return std::nullopt;
  }
  if (trial.evaluation().signs.from_cache) {
    return Reason{"graph_cached",
                  message("cause.graph_cached",
                          "GE took the graph from its model cache, as another candidate left it "
                          "there: take ge.graph_compiler_cache_dir and ge.graph_key out of the "
                          "program while tuning")};
  }
  const bool lost = is_missing(trial, kModeVariable);
  const std::string launcher = launcher_in(trial.context().command);
  if (lost || (!launcher.empty() && !trial.context().offline)) {
    return mode_not_passed(lost ? missing_variables(trial) : launcher);
  }
  if (trial.context().offline) {
    return Reason{"other_writer",
                  message("hint.mode_mismatch_offline",
                          "records show another mode than their candidate: another pass writes the "
                          "attribute after ours ({} names it), or the OM is an old one that the "
                          "build did not write anew",
                          trial.context().doctor)};
  }
  return Reason{"other_writer",
                message("hint.mode_mismatch_online",
                        "records show another mode than their candidate: another pass writes the "
                        "attribute after ours ({} names it), or the program takes its graph from a "
                        "cache instead of compiling it at each start",
                        trial.context().doctor)};
}

Cause clock_or_overlap(const Case& trial) {
  if (trial.evaluation().signs.clock_went_back) {
    return Reason{"clock_went_back",
                  message("cause.clock_went_back",
                          "the clock of the machine was set back while it ran: let its time "
                          "service slew instead of step (chrony does), or run again when the "
                          "clock is right")};
  }
  if (!trial.has("overlapping_steps")) {
    return std::nullopt;
  }
  return Reason{"overlap", message("hint.overlap",
                                   "steps overlap: the program executes from several threads or "
                                   "streams. Make it serial, or judge one object with --main-graph "
                                   "(steps.csv lists them)")};
}

Cause too_short(const Case& trial) {
  if (!trial.has("too_few_steps")) {
    return std::nullopt;
  }
  return Reason{"too_few_steps",
                message("hint.too_few_steps",
                        "runs have too few steps after the warm-up: let the program execute 20 or "
                        "more, or lower --min-steps or --drop-first")};
}

Cause ended_in_time(const Case& trial) {
  if (!trial.has("timeout")) {
    return std::nullopt;
  }
  return Reason{"timeout", message("hint.timeout",
                                   "runs were ended at --timeout: raise it (0: none), or let the "
                                   "program execute fewer steps")};
}

Cause several_models(const Case& trial) {
  const auto& signs = trial.evaluation().signs;
  const auto& main = trial.evaluation().main_object;
  if (!signs.equal_object || !main) {
    return std::nullopt;
  }
  return Reason{"several_models",
                message("cause.several_models",
                        "{} and {} have equally many records, and {} was taken: choose the other "
                        "one with --main-graph {}",
                        name(main->object), name(*signs.equal_object), name(main->object),
                        name(*signs.equal_object))};
}

using Rule = Cause (*)(const Case&);

Cause first_of(std::initializer_list<Rule> rules, const Case& trial) {
  for (const Rule rule : rules) {
    if (auto cause = rule(trial)) {
      return cause;
    }
  }
  return std::nullopt;
}

// Reasons from outside that say all there is to say.
bool is_told(const TrialOutcome& outcome) {
  return std::any_of(outcome.reasons.begin(), outcome.reasons.end(),
                     [](const Reason& reason) { return reason.code != "timeout"; });
}

}  // namespace

CauseContext context_of(const CampaignDocument& campaign,
                        const std::vector<EvaluatedTrial>& trials) {
  CauseContext context;
  context.offline = campaign.compile_command.has_value();
  context.command = campaign.command;
  context.doctor += context.offline ? " --mode offline" : "";
  context.doctor += campaign.target_host ? " --target FILE" : "";
  if (campaign.fleet) {
    for (const DeviceRecord& device : campaign.fleet->devices) {
      context.chips.push_back(device.chip);
    }
  }
  if (const auto chip = campaign.versions.find("chip"); chip != campaign.versions.end()) {
    context.chips.push_back(chip->second);
  }
  for (const EvaluatedTrial& trial : trials) {
    note_trial(trial, context);
  }
  return context;
}

void note_trial(const EvaluatedTrial& trial, CauseContext& context) {
  if (trial.outcome.exit_code == 0 && trial.evaluation.step_count > 0) {
    ++context.step_counts[trial.evaluation.step_count];
  }
}

std::optional<Reason> cause_of(const EvaluatedTrial& trial, const CauseContext& context) {
  const Case seen(trial, context);
  const bool ran = trial.outcome.exit_code || trial.outcome.exit_unknown;
  if (!ran || is_told(trial.outcome)) {
    return std::nullopt;
  }
  if (trial.evaluation.valid) {
    return first_of({full_disk, lost_lines, tail_missing, several_models}, seen);
  }
  return first_of({ended_in_time,    device_error,   printed_code,     killed,       two_programs,
                   program_left,     full_disk,      lost_with_signal, failed,       other_mode,
                   clock_or_overlap, unreadable_log, log_elsewhere,    mode_lost,    tail_missing,
                   lost_lines,       silent_log,     not_ge,           without_pass, too_short},
                  seen);
}

void name_causes(const CampaignDocument& campaign, std::vector<EvaluatedTrial>& trials) {
  const CauseContext context = context_of(campaign, trials);
  for (EvaluatedTrial& trial : trials) {
    trial.evaluation.cause = cause_of(trial, context);
  }
}

}  // namespace mstune::coordinator
