#include "coordinator/confirm_run.h"

#include <algorithm>
#include <filesystem>
#include <ostream>

#include <fmt/format.h>

#include "common/error.h"
#include "common/language.h"
#include "common/os/file.h"
#include "common/os/identity.h"
#include "common/os/signals.h"
#include "coordinator/causes_on_disk.h"
#include "coordinator/console.h"
#include "coordinator/evaluated_run.h"
#include "coordinator/exit_codes.h"
#include "coordinator/hand_over.h"
#include "coordinator/joint_ranking.h"
#include "coordinator/report_table.h"
#include "coordinator/resume.h"
#include "coordinator/target.h"
#include "coordinator/tune.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

SavedRun read_own_run(const std::string& directory) {
  SavedRun run = read_saved_run(directory);
  if (!fs::is_regular_file(run.directory / "campaign.json")) {
    throw usage_error("confirm.no_campaign",
                      "{} has no campaign.json, so it does not say what to run: only what mstune "
                      "measured can be confirmed",
                      run.directory.string());
  }
  return run;
}

std::vector<std::string> target_files_of(const ConfirmOptions& options,
                                         const CampaignDocument& campaign) {
  if (!options.target_files.empty()) {
    return options.target_files;
  }
  const Surroundings& around = campaign.surroundings;
  std::vector<std::string> saved = around.target_files;
  if (saved.empty() && (campaign.target_host || !around.target_file.empty())) {
    saved = {around.target_file};
  }
  for (const std::string& file : saved) {
    if (campaign.target_host && (file.empty() || !fs::is_regular_file(file))) {
      throw usage_error("confirm.no_target",
                        "this run was measured on {}, and its target file {} is not there any "
                        "more: name it with --target",
                        *campaign.target_host, file.empty() ? "(not recorded)" : file);
    }
  }
  return saved;
}

// The program under test has to be the one that was measured.
void refuse_another_program(const std::string& file, const CampaignDocument& campaign,
                            TuneOptions& tune) {
  const auto targets = parse_targets(os::read_file(file), file);
  const std::string in_target = targets.empty() ? "" : targets.front().run_command;
  if (in_target.empty()) {
    return;
  }
  if (in_target != campaign.command) {
    throw usage_error("confirm.other_program",
                      "{}: \"run_command\" is \"{}\", but what was measured is \"{}\": a winner is "
                      "confirmed by the same program",
                      file, in_target, campaign.command);
  }
  tune.run_command.clear();
}

// What `tune` would be asked for, to run these two.
TuneOptions tune_options(const ConfirmOptions& options, const CampaignDocument& campaign,
                         const Candidate& winner) {
  TuneOptions tune;
  tune.offline = campaign.mode == "offline";
  tune.run_command = campaign.command;
  tune.compile_command = campaign.compile_command.value_or("");
  tune.candidates = {kDefaultCandidate, winner};
  tune.order = campaign.order.kind;
  tune.seed = campaign.order.seed;
  tune.digest_pattern = campaign.digest_pattern;
  tune.gates = campaign.gates;
  tune.om_dir = campaign.surroundings.om_directory;
  tune.timeout = options.timeout.value_or(
      std::chrono::milliseconds(static_cast<std::int64_t>(campaign.surroundings.timeout_s * 1000)));
  tune.allow_mismatch = options.allow_mismatch;
  tune.target_files = target_files_of(options, campaign);
  for (const std::string& file : tune.target_files) {
    refuse_another_program(file, campaign, tune);
  }
  return tune;
}

// The OMs that were measured, also of a run that was moved. One that is gone is built again.
std::map<std::string, BuiltOm> measured_oms(const fs::path& run, const fs::path& om_directory) {
  std::map<std::string, BuiltOm> oms = RunDirectory(run).built_oms();
  for (auto& [candidate, om] : oms) {
    if (!fs::exists(om.path)) {
      om.path = (om_directory / fs::path(om.path).filename()).string();
    }
  }
  std::erase_if(oms, [](const auto& each) { return !fs::exists(each.second.path); });
  return oms;
}

// Numbers go on where those of the run end.
std::vector<Trial> fresh_trials(const ConfirmOptions& options, const CampaignDocument& campaign,
                                const std::vector<EvaluatedTrial>& trials,
                                const Candidate& winner) {
  std::uint32_t next_index = 0;
  ConfirmingPlan plan{winner, options.rounds};
  for (const EvaluatedTrial& trial : trials) {
    next_index = std::max(next_index, trial.trial.index + 1);
    if (trial.trial.purpose == Purpose::confirm) {
      plan.first_round = std::max(plan.first_round, trial.trial.repeat + 1);
    }
  }
  return confirming_trials(plan, campaign.order, next_index);
}

// The devices keep their numbers. Each fresh round runs on one of them, also where every device had
// run all rounds.
void use_fleet(const Fleet& fleet, SessionOptions& session) {
  if (fleet.agents.size() != session.agents.size()) {
    throw usage_error("confirm.other_agents",
                      "the run was measured with {} agents, and there are {} now: name those of "
                      "the run",
                      fleet.agents.size(), session.agents.size());
  }
  ResumedRun run;
  run.before = fleet;
  run.order = session.campaign.order;
  hand_over(std::move(run), session);
}

Preparation prepare_trials(const ConfirmOptions& options,
                           const std::vector<std::string>& environment, const SavedRun& saved,
                           const std::vector<EvaluatedTrial>& trials, const Candidate& winner) {
  const TuneOptions tune = tune_options(options, saved.campaign, winner);
  Preparation preparation = prepare(tune, environment);
  SessionOptions& session = preparation.session;
  session.session_id = os::random_hex_id();
  session.campaign.trials = fresh_trials(options, saved.campaign, trials, winner);
  if (saved.campaign.fleet) {
    use_fleet(*saved.campaign.fleet, session);
  }
  if (preparation.local && !saved.campaign.surroundings.working_directory.empty()) {
    session.agents.front().spec.working_directory = saved.campaign.surroundings.working_directory;
  }
  if (tune.offline) {
    session.build.om_directory =
        tune.om_dir.empty() ? saved.directory / "om" : fs::path(tune.om_dir);
    os::make_directory(session.build.om_directory);
    session.oms = measured_oms(saved.directory, session.build.om_directory);
  }
  return preparation;
}

// What is run now, for those who watch.
CampaignDocument confirmed(CampaignDocument campaign, const Candidate& winner, int rounds) {
  campaign.candidates = {kDefaultCandidate, winner};
  campaign.repeat = static_cast<std::uint64_t>(rounds);
  return campaign;
}

}  // namespace

int confirm(const ConfirmOptions& options, const std::vector<std::string>& environment,
            std::ostream& out) {
  os::ignore_broken_pipes();
  const SavedRun saved = read_own_run(options.run_directory);
  const RunDirectory directory(os::absolute_path(saved.directory.string()));
  const os::UniqueFd lock = lock_run(directory);
  CampaignDocument campaign = saved.campaign;
  std::vector<EvaluatedTrial> trials;
  for (const TrialOnDisk& trial : saved.trials) {
    trials.push_back(evaluate_on_disk(trial, campaign, false));
  }
  const Candidate best = winner(rank_run(campaign, trials));
  Progress progress(out, progress_style(false, false, stdout_is_terminal(), environment),
                    stdout_terminal(environment));
  if (best == kDefaultCandidate) {
    progress.note(message("confirm.nothing", "nothing to confirm: default is the recommendation"));
    return 0;
  }
  Preparation preparation = prepare_trials(options, environment, saved, trials, best);
  for (const Message& note : preparation.notes) {
    progress.note(note);
  }
  progress.decided(message("confirm.next", "confirming {} against default in {} fresh rounds",
                           name(best), options.rounds));
  progress.campaign(confirmed(campaign, best, options.rounds), directory.path().string());
  Stages nothing_more(CampaignDocument{});
  const SessionResult result = run(preparation, nothing_more, directory, progress);

  progress.end();
  trials.insert(trials.end(), result.trials.begin(), result.trials.end());
  if (result.fleet) {
    const Spread spread = campaign.fleet->spread;
    campaign.fleet = result.fleet;
    campaign.fleet->spread = spread;
    directory.write_campaign(campaign);
  }
  name_causes_on_disk(directory, campaign, trials);
  const Ranking ranking = rank_run(campaign, trials);
  directory.write_summary(campaign, ranking, trials);
  directory.write_report(campaign, ranking, trials);
  out << "\n" << report_table(campaign, ranking);
  out << said(message("tune.results", "results: {}", directory.path().string())) << '\n'
      << std::flush;
  if (result.ending == Ending::failed) {
    throw Error(ErrorKind::environment, result.why);
  }
  if (result.ending == Ending::interrupted) {
    progress.note(result.why);
    return kExitInterrupted;
  }
  if (result.left_behind) {
    return kExitLeftBehind;
  }
  return ranking.confidence.confirmation ? 0 : 1;
}

}  // namespace mstune::coordinator
