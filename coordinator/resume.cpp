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
#include "coordinator/run_leftovers.h"
#include "coordinator/saved_run.h"

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

// A trial whose agent was lost, or that could not begin there, says nothing about its candidate:
// the agent may be well by now. Every other one on disk is a result.
bool is_result(const SavedTrial& saved) {
  const auto& reasons = saved.outcome.reasons;
  const bool never_began = !saved.outcome.exit_code &&
                           std::all_of(reasons.begin(), reasons.end(), [](const Reason& reason) {
                             return reason.code == "not_started";
                           });
  return !never_began && std::none_of(reasons.begin(), reasons.end(), [](const Reason& reason) {
    return reason.code == "agent_lost" || reason.code == "device_busy";
  });
}

// "trial_007_cv_r2", "trial_007_cv_r2_d3" and "trial_007_cv_r2_d3_a1" → 7, and the numbers after
// "_d" and "_a".
struct AttemptName {
  std::uint32_t trial = 0;
  std::string stem;          // what stands before them
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
  // "_default" is no device.
  result.stem = text;
  const auto read_after = [&](std::string_view mark, std::uint32_t& number) {
    const auto at = text.rfind(mark);
    if (at != std::string_view::npos &&
        std::from_chars(text.data() + at + mark.size(), text.data() + text.size(), number).ec ==
            std::errc{}) {
      result.stem.resize(std::min(result.stem.size(), at));
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
      run.left[parsed.trial] = {parsed.stem, parsed.device};
    } else {
      const std::uint32_t attempt = ++attempts;
      const auto trial = trial_of_directory(name);
      directory.move_apart(
          name, trial.value_or(Trial{parsed.trial, {}, 1}), attempt,
          message("trial.unfinished", "it was not finished, and nobody goes on with it"));
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
  SavedRun saved = read_saved_run(directory.path());
  if (const auto obstacle = resume_obstacle(saved.campaign, wanted)) {
    throw Error(ErrorKind::usage, *obstacle);
  }
  remove_leftovers(directory);
  ResumedRun run;
  // That a trial is unfinished is why the run goes on.
  std::erase_if(saved.notes, [](const Message& note) { return note.id == "run.unfinished_trial"; });
  run.notes = std::move(saved.notes);
  run.versions = saved.campaign.versions;
  run.server_keys = saved.campaign.server_keys;
  run.session_id = saved.campaign.session_id;
  run.order = saved.campaign.order;
  run.oms = directory.built_oms();
  run.before = saved.campaign.fleet;
  run.fleet = saved.campaign.fleet;
  run.devices_at_looks = saved.campaign.devices_at_looks;
  run.attempts = attempts_apart(directory);
  std::set<std::string> results;  // their directories
  for (const TrialOnDisk& trial : saved.trials) {
    if (trial.missing || !is_result(trial.saved)) {
      continue;
    }
    std::optional<Message> why;
    if (auto result = evaluate_whole(trial, wanted.campaign, why)) {
      run.finished.push_back(std::move(*result));
      results.insert(trial.directory.filename().string());
      std::uint32_t& attempts = run.attempts[trial.saved.trial.index];
      attempts = std::max(attempts, trial.saved.attempt);
    } else {
      run.notes.push_back(*why);
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
