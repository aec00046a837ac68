#include "coordinator/resume.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/ranges.h>

#include "common/error.h"
#include "coordinator/saved_run.h"
#include "coordinator/step_set.h"
#include "coordinator/trial_digest.h"
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

std::string order_text(const Order& order) {
  return order.kind == OrderKind::random ? "random" : "fixed";
}

std::string yes_or_no(bool value) {
  return value ? "yes" : "no";
}

std::string drop_text(const Gates& gates) {
  return gates.drop_auto ? "auto" : std::to_string(gates.drop_first);
}

std::string object_text(const Gates& gates) {
  return gates.main_object ? name(*gates.main_object) : std::string("(none)");
}

std::string bound_text(const CampaignDocument& campaign) {
  return campaign.max_repeat ? std::to_string(*campaign.max_repeat) : std::string("(none)");
}

// Refining adds candidates to those that were asked for.
std::vector<Candidate> asked_candidates(const CampaignDocument& saved,
                                        const CampaignDocument& wanted) {
  std::vector<Candidate> candidates = saved.candidates;
  if (saved.refine && candidates.size() > wanted.candidates.size()) {
    candidates.resize(wanted.candidates.size());
  }
  return candidates;
}

// A trial whose agent was lost is no result; every other one on disk is.
bool is_result(const SavedTrial& saved) {
  const auto& reasons = saved.outcome.reasons;
  return std::none_of(reasons.begin(), reasons.end(),
                      [](const Reason& reason) { return reason.code == "agent_lost"; });
}

EvaluatedTrial evaluate_saved(const TrialOnDisk& trial, const CampaignDocument& campaign) {
  EvaluatedTrial result{trial.saved.trial, trial.saved.attempt, trial.saved.outcome, {}, {}};
  if (!fs::is_regular_file(trial.directory / "steps.log")) {
    result.evaluation = evaluate_unrun(result.outcome);
    return result;
  }
  const RecordLog log = read_trial_records(trial.directory);
  result.evaluation = evaluate(StepSet(log), trial.saved.config, result.outcome, campaign.gates);
  result.digest = read_digest(trial.directory, campaign.digest_pattern);
  return result;
}

// "trial_007_cv_r2" and "trial_007_cv_r2_a1" → 7, and the number after "_a".
struct AttemptName {
  std::uint32_t trial = 0;
  std::uint32_t attempt = 0;
};

std::optional<AttemptName> parse_attempt_name(std::string_view text) {
  constexpr std::string_view kPrefix = "trial_";
  AttemptName result;
  if (!text.starts_with(kPrefix) ||
      std::from_chars(text.data() + kPrefix.size(), text.data() + text.size(), result.trial).ec !=
          std::errc{}) {
    return std::nullopt;
  }
  if (const auto mark = text.rfind("_a"); mark != std::string_view::npos) {
    std::from_chars(text.data() + mark + 2, text.data() + text.size(), result.attempt);
  }
  return result;
}

// How many attempts at each trial were moved apart before.
std::map<std::uint32_t, std::uint32_t> attempts_apart(const RunDirectory& directory) {
  std::map<std::uint32_t, std::uint32_t> attempts;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(directory.attempts_directory(), failure)) {
    if (const auto parsed = parse_attempt_name(entry.path().filename().string())) {
      attempts[parsed->trial] = std::max(attempts[parsed->trial], parsed->attempt);
    }
  }
  return attempts;
}

// Directories of trials that have no result.
void sort_out_unfinished(const RunDirectory& directory, ResumedRun& run) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(directory.path())) {
    const auto parsed = parse_attempt_name(entry.path().filename().string());
    const bool is_finished =
        parsed && std::any_of(run.finished.begin(), run.finished.end(), [&](const auto& trial) {
          return trial.trial.index == parsed->trial;
        });
    if (parsed && !is_finished && entry.is_directory()) {
      paths.push_back(entry.path());
    }
  }
  for (const fs::path& path : paths) {
    const std::uint32_t trial = parse_attempt_name(path.filename().string())->trial;
    std::uint32_t& attempts = run.attempts[trial];
    const auto progress = read_progress(path);
    if (progress && progress->attempt == attempts + 1) {
      run.unfinished[trial] = *progress;
    } else {
      directory.move_apart(path.filename().string(), ++attempts);
    }
  }
}

}  // namespace

std::optional<Message> resume_obstacle(const CampaignDocument& saved,
                                       const CampaignDocument& wanted, bool seed_given) {
  const auto seed = [&](const CampaignDocument& campaign) {
    return seed_given ? std::to_string(campaign.order.seed) : std::string();
  };
  const std::vector<Difference> fields{
      {"--mode", saved.mode, wanted.mode},
      {"the run command", saved.command, wanted.command},
      {"--compile-command", saved.compile_command.value_or("(none)"),
       wanted.compile_command.value_or("(none)")},
      {"the target's host", saved.target_host.value_or("(this machine)"),
       wanted.target_host.value_or("(this machine)")},
      {"the candidates", names_of(asked_candidates(saved, wanted)), names_of(wanted.candidates)},
      {"--repeat", std::to_string(saved.repeat), std::to_string(wanted.repeat)},
      {"--order", order_text(saved.order), order_text(wanted.order)},
      {"--seed", seed(saved), seed(wanted)},
      {"--max-repeat", bound_text(saved), bound_text(wanted)},
      {"--refine", yes_or_no(saved.refine), yes_or_no(wanted.refine)},
      {"--aa", yes_or_no(saved.control), yes_or_no(wanted.control)},
      {"--confirm", std::to_string(saved.confirm_rounds), std::to_string(wanted.confirm_rounds)},
      {"--drop-first", drop_text(saved.gates), drop_text(wanted.gates)},
      {"--min-steps", std::to_string(saved.gates.min_steps),
       std::to_string(wanted.gates.min_steps)},
      {"--main-graph", object_text(saved.gates), object_text(wanted.gates)},
      {"--digest-pattern", saved.digest_pattern, wanted.digest_pattern}};
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
                      bool seed_given) {
  if (!fs::is_regular_file(directory.path() / "campaign.json")) {
    throw usage_error("resume.no_campaign",
                      "--resume {}: there is no campaign.json in it, so no campaign of mstune can "
                      "go on there",
                      directory.path().string());
  }
  const SavedRun saved = read_saved_run(directory.path());
  if (saved.campaign.fleet) {
    throw usage_error("resume.many_devices",
                      "--resume {}: a campaign over several devices cannot go on yet; mstune "
                      "analyze ranks what is there",
                      directory.path().string());
  }
  if (const auto obstacle = resume_obstacle(saved.campaign, wanted, seed_given)) {
    throw Error(ErrorKind::usage, *obstacle);
  }
  ResumedRun run;
  run.versions = saved.campaign.versions;
  run.session_id = saved.campaign.session_id;
  run.order = saved.campaign.order;
  run.oms = directory.built_oms();
  for (const TrialOnDisk& trial : saved.trials) {
    if (!trial.missing && is_result(trial.saved)) {
      run.finished.push_back(evaluate_saved(trial, wanted));
    }
  }
  run.attempts = attempts_apart(directory);
  sort_out_unfinished(directory, run);
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
