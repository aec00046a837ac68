#include "coordinator/resume.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "common/error.h"
#include "coordinator/saved_run.h"
#include "coordinator/step_set.h"
#include "coordinator/trial_records.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

struct Difference {
  const char* what;
  std::string saved;
  std::string wanted;
};

std::string names_of(const std::vector<Candidate>& candidates) {
  std::vector<std::string> names;
  for (const Candidate& candidate : candidates) {
    names.push_back(name(candidate));
  }
  return fmt::format("{}", fmt::join(names, ","));
}

// An attempt whose agent was lost is no result; every other trial on disk is one.
bool is_result(const SavedTrial& saved) {
  const auto& reasons = saved.outcome.reasons;
  return std::none_of(reasons.begin(), reasons.end(),
                      [](const Reason& reason) { return reason.code == "agent_lost"; });
}

EvaluatedTrial evaluate_saved(const TrialOnDisk& trial, const Gates& gates) {
  EvaluatedTrial result{trial.saved.trial, trial.saved.attempt, trial.saved.outcome, {}, {}};
  if (!fs::is_regular_file(trial.directory / "steps.log")) {
    result.evaluation = evaluate_unrun(result.outcome);
    return result;
  }
  const RecordLog log = read_trial_records(trial.directory);
  result.evaluation = evaluate(StepSet(log), trial.saved.config, result.outcome, gates);
  return result;
}

// How many attempts at the trial were moved apart before.
std::uint32_t attempts_apart(const RunDirectory& directory, const Trial& trial) {
  std::uint32_t last = 0;
  while (fs::exists(directory.attempt_directory(trial, last + 1))) {
    ++last;
  }
  return last;
}

}  // namespace

std::optional<Message> resume_obstacle(const CampaignDocument& saved,
                                       const CampaignDocument& wanted) {
  const auto object = [](const Gates& gates) {
    return gates.main_object ? name(*gates.main_object) : std::string("(none)");
  };
  const std::vector<Difference> fields{
      {"--mode", saved.mode, wanted.mode},
      {"the run command", saved.command, wanted.command},
      {"--compile-command", saved.compile_command.value_or("(none)"),
       wanted.compile_command.value_or("(none)")},
      {"the target's host", saved.target_host.value_or("(this machine)"),
       wanted.target_host.value_or("(this machine)")},
      {"the candidates", names_of(saved.candidates), names_of(wanted.candidates)},
      {"--repeat", std::to_string(saved.repeat), std::to_string(wanted.repeat)},
      {"--drop-first", std::to_string(saved.gates.drop_first),
       std::to_string(wanted.gates.drop_first)},
      {"--min-steps", std::to_string(saved.gates.min_steps),
       std::to_string(wanted.gates.min_steps)},
      {"--main-graph", object(saved.gates), object(wanted.gates)}};
  for (const Difference& field : fields) {
    if (field.saved != field.wanted) {
      return message("resume.other_campaign",
                     "that run cannot go on: {} was \"{}\" and is \"{}\" now; give it as it was, "
                     "or start a new run without --resume",
                     field.what, field.saved, field.wanted);
    }
  }
  return std::nullopt;
}

ResumedRun resume_run(const RunDirectory& directory, const CampaignDocument& wanted,
                      const std::vector<Trial>& trials) {
  if (!fs::is_regular_file(directory.path() / "campaign.json")) {
    throw usage_error("resume.no_campaign",
                      "--resume {}: there is no campaign.json in it, so no campaign of mstune can "
                      "go on there",
                      directory.path().string());
  }
  const SavedRun saved = read_saved_run(directory.path());
  if (const auto obstacle = resume_obstacle(saved.campaign, wanted)) {
    throw Error(ErrorKind::usage, *obstacle);
  }
  ResumedRun run;
  run.session_id = saved.campaign.session_id;
  for (const TrialOnDisk& trial : saved.trials) {
    if (!trial.missing && trial.saved.trial.index < trials.size() && is_result(trial.saved)) {
      run.finished.push_back(evaluate_saved(trial, wanted.gates));
    }
  }
  for (const Trial& trial : trials) {
    const bool is_finished =
        std::any_of(run.finished.begin(), run.finished.end(),
                    [&](const auto& other) { return other.trial.index == trial.index; });
    if (is_finished) {
      continue;
    }
    std::uint32_t attempts = attempts_apart(directory, trial);
    if (fs::exists(directory.trial_directory(trial))) {
      directory.move_apart(trial, ++attempts);
    }
    run.attempts[trial.index] = attempts;
  }
  return run;
}

os::UniqueFd lock_run(const RunDirectory& directory) {
  os::UniqueFd lock(::open(directory.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock.valid() || ::flock(lock.value(), LOCK_EX | LOCK_NB) != 0) {
    throw usage_error("resume.in_use", "{} is no directory, or a campaign still runs there",
                      directory.path().string());
  }
  return lock;
}

}  // namespace mstune::coordinator
