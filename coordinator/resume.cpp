#include "coordinator/resume.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/ranges.h>

#include "common/error.h"
#include "coordinator/documents.h"
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

// "trial_007_cv_r2", "trial_007_cv_r2_d3" and "trial_007_cv_r2_d3_a1" → 7, and the numbers after
// "_d" and "_a".
struct AttemptName {
  std::uint32_t trial = 0;
  std::uint32_t device = 0;  // of one that has no number: the only one
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
  const auto read_after = [&](std::string_view mark, std::uint32_t& number) {
    if (const auto at = text.rfind(mark); at != std::string_view::npos) {
      std::from_chars(text.data() + at + mark.size(), text.data() + text.size(), number);
    }
  };
  read_after("_d", result.device);
  read_after("_a", result.attempt);
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

std::uint32_t attempt_of(const fs::path& trial_directory) {
  const auto progress = read_progress(trial_directory);
  return progress ? progress->attempt : 0;
}

// Directories of trials that have no result, the older attempts first.
std::vector<fs::path> directories_without_result(const RunDirectory& directory,
                                                 const std::set<std::string>& results) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(directory.path())) {
    const std::string name = entry.path().filename().string();
    if (parse_attempt_name(name) && !results.contains(name) && entry.is_directory()) {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end(), [](const fs::path& left, const fs::path& right) {
    return std::pair(attempt_of(left), left) < std::pair(attempt_of(right), right);
  });
  return paths;
}

void sort_out_unfinished(const RunDirectory& directory, const std::set<std::string>& results,
                         ResumedRun& run) {
  const std::size_t devices = run.before ? run.before->devices.size() : 1;
  for (const fs::path& path : directories_without_result(directory, results)) {
    const std::string name = path.filename().string();
    const AttemptName parsed = *parse_attempt_name(name);
    const bool is_finished =
        std::any_of(run.finished.begin(), run.finished.end(),
                    [&](const auto& trial) { return trial.trial.index == parsed.trial; });
    std::uint32_t& attempts = run.attempts[parsed.trial];
    const auto progress = read_progress(path);
    if (progress && progress->attempt == attempts + 1 && !is_finished && parsed.device < devices &&
        !run.unfinished.contains(parsed.trial)) {
      run.unfinished[parsed.trial] = {*progress, name};
      run.devices_of[parsed.trial] = parsed.device;
    } else {
      directory.move_apart(name, ++attempts);
    }
  }
}

// What campaign.json tells of a campaign with a single device.
Fleet single_device(const CampaignDocument& campaign) {
  const auto version = [&](const char* what) {
    const auto found = campaign.versions.find(what);
    return found == campaign.versions.end() ? std::string() : found->second;
  };
  AgentRecord agent;
  agent.host = version("host");
  agent.cann_version = version("cann");
  agent.driver_version = version("driver");
  agent.architecture = version("architecture");
  DeviceRecord device;
  device.chip = version("chip");
  std::istringstream ids(version("devices"));
  for (std::string id; std::getline(ids, id, '+');) {
    device.ids.push_back(std::atoi(id.c_str()));
  }
  return {Spread::share, {agent}, {device}};
}

}  // namespace

std::optional<Message> resume_obstacle(const CampaignDocument& saved,
                                       const ResumeRequest& request) {
  const CampaignDocument& wanted = request.campaign;
  const auto seed = [&](const CampaignDocument& campaign) {
    return request.seed_given ? std::to_string(campaign.order.seed) : std::string();
  };
  const std::string spread(word(request.spread));
  const std::vector<Difference> fields{
      {"--mode", saved.mode, wanted.mode},
      {"the run command", saved.command, wanted.command},
      {"--compile-command", saved.compile_command.value_or("(none)"),
       wanted.compile_command.value_or("(none)")},
      {"the target's host", saved.target_host.value_or("(this machine)"),
       wanted.target_host.value_or("(this machine)")},
      {"--spread", saved.fleet ? std::string(word(saved.fleet->spread)) : spread, spread},
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

ResumedRun resume_run(const RunDirectory& directory, const ResumeRequest& wanted) {
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
  run.versions = saved.campaign.versions;
  run.session_id = saved.campaign.session_id;
  run.order = saved.campaign.order;
  run.oms = directory.built_oms();
  run.before = saved.campaign.fleet;
  run.attempts = attempts_apart(directory);
  std::set<std::string> results;  // their directories
  for (const TrialOnDisk& trial : saved.trials) {
    if (!trial.missing && is_result(trial.saved)) {
      run.finished.push_back(evaluate_saved(trial, wanted.campaign));
      results.insert(trial.directory.filename().string());
      std::uint32_t& attempts = run.attempts[trial.saved.trial.index];
      attempts = std::max(attempts, trial.saved.attempt);
    }
  }
  sort_out_unfinished(directory, results, run);
  if (!run.before && !run.attempts.empty()) {
    run.before = single_device(saved.campaign);
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
