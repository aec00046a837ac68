#include "coordinator/analyze.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "common/error.h"
#include "common/language.h"
#include "common/os/file.h"
#include "common/os/new_file.h"
#include "coordinator/build_outputs.h"
#include "coordinator/digest_pattern.h"
#include "coordinator/evaluated_run.h"
#include "coordinator/hints.h"
#include "coordinator/joint_ranking.h"
#include "coordinator/report_table.h"
#include "coordinator/shown_words.h"
#include "coordinator/steps_csv.h"
#include "coordinator/trial_cause.h"
#include "coordinator/trial_digest.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

struct PlainInput {
  std::string config;
  Candidate candidate;
  fs::path path;
};

// "LoadBalance:4=FILE". A directory may have a '=' in its own name, so one that exists is a run.
std::optional<PlainInput> parse_plain(const std::string& input) {
  const auto equals = input.find('=');
  std::error_code ignored;
  if (equals == std::string::npos || fs::is_directory(input, ignored)) {
    return std::nullopt;
  }
  PlainInput plain{input.substr(0, equals), {}, input.substr(equals + 1)};
  plain.candidate = parse_candidate(plain.config);
  if (!fs::exists(plain.path, ignored)) {
    throw usage_error("analyze.no_such_log", "{}: there is no file or directory {}", input,
                      plain.path.string());
  }
  return plain;
}

// Each log is one trial; how its program ended is not known.
SavedRun run_of_logs(const std::vector<PlainInput>& inputs) {
  SavedRun run;
  std::map<Candidate, int> rounds;
  for (const PlainInput& input : inputs) {
    TrialOnDisk trial;
    trial.saved.config = input.config;
    trial.saved.trial.index = static_cast<std::uint32_t>(run.trials.size());
    trial.saved.trial.candidate = input.candidate;
    trial.saved.trial.repeat = ++rounds[input.candidate];
    trial.saved.outcome.exit_unknown = true;
    trial.directory = input.path;
    run.campaign.repeat =
        std::max(run.campaign.repeat, static_cast<std::uint64_t>(trial.saved.trial.repeat));
    if (trial.saved.trial.repeat == 1) {
      run.campaign.candidates.push_back(input.candidate);
    }
    run.trials.push_back(std::move(trial));
  }
  return run;
}

SavedRun find_input(const AnalyzeOptions& options, bool& plain) {
  std::vector<PlainInput> logs;
  for (const std::string& input : options.inputs) {
    if (auto log = parse_plain(input)) {
      logs.push_back(std::move(*log));
    }
  }
  plain = !logs.empty();
  if (plain && logs.size() == options.inputs.size()) {
    if (options.write) {
      throw usage_error("analyze.nowhere_to_write",
                        "--write needs a run directory: plain logs have no place for its files");
    }
    return run_of_logs(logs);
  }
  if (options.inputs.size() != 1) {
    throw usage_error("analyze.inputs",
                      "name one run directory, or plain logs that all look like "
                      "CANDIDATE=PATH, as in default=DIR LoadBalance:4=FILE");
  }
  return read_saved_run(options.inputs.front());
}

void write_steps_csv(const fs::path& path, const StepSet& steps) {
  os::NewFile file(path);
  format_steps_csv(steps, [&file](std::string_view piece) { file.append(piece); });
  file.put_in_place();
}

void print_report(const CampaignDocument& campaign, const Ranking& ranking,
                  const std::vector<EvaluatedTrial>& trials,
                  const std::vector<std::string>& outputs, std::ostream& out) {
  for (const EvaluatedTrial& trial : trials) {
    out << said(message("progress.trial", "[{}] {}: {}", fmt::format("{:03}", trial.trial.index),
                        title_message(trial.trial), trial_result_text(trial)))
        << '\n';
  }
  out << '\n' << report_table(campaign, ranking);
  out << hints_text(hints_of({campaign, ranking, trials, outputs}));
}

}  // namespace

int analyze(const AnalyzeOptions& options, std::ostream& out, std::ostream& notes) {
  bool plain = false;
  SavedRun run = find_input(options, plain);
  for (const Message& note : run.notes) {
    notes << said(message("progress.note", "note: {}", note)) << '\n';
  }
  run.campaign.gates = overridden(run.campaign.gates, options.gates);
  if (!options.digest_pattern.empty()) {
    run.campaign.digest_pattern = options.digest_pattern;
  }
  check_digest_pattern(run.campaign.digest_pattern, "the campaign's digest_pattern");

  std::vector<EvaluatedTrial> trials;
  for (const TrialOnDisk& trial : run.trials) {
    // One trial at a time: the records of the one before are gone when the next are read.
    const auto write_table = [&](const StepSet& steps) {
      write_steps_csv(trial.directory / "steps.csv", steps);
    };
    trials.push_back(evaluate_on_disk(
        trial, run.campaign, plain,
        options.write ? std::function<void(const StepSet&)>(write_table) : nullptr));
    const std::uint64_t found = trials.back().evaluation.step_count;
    if (!trial.missing && trial.saved.step_count && *trial.saved.step_count > found) {
      notes << said(message(
                   "progress.note", "note: {}",
                   message("analyze.steps_missing",
                           "{} had {} steps, and its logs hold {} of them: mstune tune "
                           "--resume runs it again",
                           trial.directory.filename().string(), *trial.saved.step_count, found)))
            << '\n';
    }
  }
  name_causes(run.campaign, trials);
  const Ranking ranking = rank_run(run.campaign, trials);
  const std::string document = summary_json(run.campaign, ranking, trials);
  if (options.write) {
    os::write_file_atomically(run.directory / "summary.json", document);
    os::write_file_atomically(run.directory / "summary.csv", summary_csv(ranking));
  }
  if (options.json) {
    out << document;
  } else {
    const auto outputs = plain ? std::vector<std::string>()
                               : build_outputs(RunDirectory(run.directory), run.campaign);
    print_report(run.campaign, ranking, trials, outputs, out);
  }
  return ranking.any_data() ? 0 : 1;
}

}  // namespace mstune::coordinator
