#include "coordinator/saved_run.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "common/error.h"
#include "common/os/file.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

// "trial_007_LoadBalance4_r2" → 7, "LoadBalance4", 2.
struct DirectoryName {
  std::uint32_t number = 0;
  std::string candidate;
  int repeat = 1;
};

template <typename Number>
bool read_digits(std::string_view text, Number& number) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc{} && end == text.data() + text.size() && number >= 0;
}

std::optional<DirectoryName> parse_directory_name(std::string_view text) {
  constexpr std::string_view kPrefix = "trial_";
  if (!text.starts_with(kPrefix)) {
    return std::nullopt;
  }
  text.remove_prefix(kPrefix.size());
  if (const auto device = text.rfind("_d"); device != std::string_view::npos) {
    std::uint32_t ignored = 0;
    text = read_digits(text.substr(device + 2), ignored) ? text.substr(0, device) : text;
  }
  const auto first = text.find('_');
  const auto last = text.rfind("_r");
  DirectoryName result;
  if (first == std::string_view::npos || last == std::string_view::npos || last <= first ||
      !read_digits(text.substr(0, first), result.number) ||
      !read_digits(text.substr(last + 2), result.repeat)) {
    return std::nullopt;
  }
  result.candidate = text.substr(first + 1, last - first - 1);
  return result;
}

struct TrialDirectory {
  DirectoryName name;
  fs::path path;
};

std::vector<TrialDirectory> trial_directories(const fs::path& run) {
  std::vector<TrialDirectory> directories;
  for (const fs::directory_entry& entry : fs::directory_iterator(run)) {
    auto parsed = parse_directory_name(entry.path().filename().string());
    if (parsed && entry.is_directory()) {
      directories.push_back({std::move(*parsed), entry.path()});
    }
  }
  std::sort(directories.begin(), directories.end(),
            [](const TrialDirectory& left, const TrialDirectory& right) {
              return std::tie(left.name.number, left.path) <
                     std::tie(right.name.number, right.path);
            });
  return directories;
}

bool is_run(const fs::path& directory) {
  return fs::is_regular_file(directory / "summary.json") ||
         fs::is_regular_file(directory / "campaign.json") || !trial_directories(directory).empty();
}

// The directory itself, or the single run_... in it.
fs::path find_run(const fs::path& directory) {
  std::error_code failure;
  if (!fs::is_directory(directory, failure)) {
    throw usage_error("run.no_directory",
                      "{} is not a directory: name a run directory, or plain logs as in "
                      "LoadBalance:4=FILE",
                      directory.string());
  }
  if (is_run(directory)) {
    return directory;
  }
  std::vector<fs::path> runs;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    if (entry.path().filename().string().starts_with("run_") && entry.is_directory() &&
        is_run(entry.path())) {
      runs.push_back(entry.path());
    }
  }
  if (runs.empty()) {
    throw usage_error("run.not_a_run",
                      "{} is no run directory: there is no summary.json, no campaign.json and no "
                      "trial_... in it",
                      directory.string());
  }
  std::sort(runs.begin(), runs.end());
  if (runs.size() > 1) {
    throw usage_error("run.several_runs", "{} holds {} runs: name one of them, the last is {}",
                      directory.string(), runs.size(), runs.back().string());
  }
  return runs.front();
}

std::optional<std::string> read_if_there(const fs::path& path) {
  if (!fs::is_regular_file(path)) {
    return std::nullopt;
  }
  return os::read_file(path);
}

// A document that cannot be read is as one that is not there: nothing else of the run is lost by
// it.
template <typename Parse>
auto read_or_note(const Parse& parse, const fs::path& path, std::vector<Message>& notes)
    -> std::optional<decltype(parse("", ""))> try {
  const auto text = read_if_there(path);
  return text ? std::optional(parse(*text, path.string())) : std::nullopt;
} catch (const Error& error) {
  notes.push_back(message("run.unreadable", "{}: it is set aside", error.message()));
  return std::nullopt;
}

// A run of ours: each trial that ended has a trial.json, a trial that was never begun stands only
// in the summary.
void add_own_trials(const std::vector<TrialDirectory>& directories, const SavedSummary* summary,
                    SavedRun& run) {
  for (const TrialDirectory& directory : directories) {
    auto saved = read_or_note(parse_trial, directory.path / "trial.json", run.notes);
    if (!saved) {
      run.notes.push_back(message("run.unfinished_trial",
                                  "{} was not finished (it has no trial.json that can be read) and "
                                  "is left out",
                                  directory.path.filename().string()));
      continue;
    }
    saved->trial.index = saved->index.value_or(directory.name.number);
    run.trials.push_back({std::move(*saved), directory.path, false});
  }
  if (summary == nullptr) {
    return;
  }
  for (const SavedTrial& saved : summary->trials) {
    const bool known = std::any_of(run.trials.begin(), run.trials.end(), [&](const auto& trial) {
      return trial.saved.trial.index == saved.trial.index;
    });
    if (saved.index && !known) {
      run.trials.push_back({saved, {}, true});
    }
  }
}

// A run of the sample driver: its list of trials is in the order of their directories.
void add_listed_trials(const std::vector<TrialDirectory>& directories, const SavedSummary& summary,
                       SavedRun& run) {
  const bool in_order = directories.size() == summary.trials.size();
  for (std::size_t at = 0; at < summary.trials.size(); ++at) {
    SavedTrial saved = summary.trials[at];
    saved.trial.index = static_cast<std::uint32_t>(at);
    const auto directory =
        in_order ? directories.begin() + static_cast<std::ptrdiff_t>(at)
                 : std::find_if(directories.begin(), directories.end(),
                                [at](const auto& found) { return found.name.number == at; });
    if (directory == directories.end()) {
      run.trials.push_back({std::move(saved), {}, true});
    } else {
      run.trials.push_back({std::move(saved), directory->path, false});
    }
  }
  if (!in_order) {
    run.notes.push_back(message("run.directories_differ",
                                "summary.json lists {} trials, but there are {} trial directories: "
                                "they were matched by their numbers",
                                summary.trials.size(), directories.size()));
  }
}

// Nothing was written down: a run of the sample driver that was killed.
void add_named_trials(const std::vector<TrialDirectory>& directories, SavedRun& run) {
  run.notes.push_back(message("run.no_summary",
                              "there is neither summary.json nor campaign.json: candidates are "
                              "taken from the names of the directories, and exit statuses are not "
                              "known"));
  for (const TrialDirectory& directory : directories) {
    const auto candidate = candidate_of_file_name(directory.name.candidate);
    if (!candidate) {
      run.notes.push_back(message("run.unknown_candidate", "{} names no candidate and is left out",
                                  directory.path.filename().string()));
      continue;
    }
    SavedTrial saved;
    saved.config = name(*candidate);
    saved.trial = {directory.name.number, *candidate, directory.name.repeat};
    saved.outcome.exit_unknown = true;
    run.trials.push_back({std::move(saved), directory.path, false});
  }
}

}  // namespace

std::optional<Candidate> candidate_of_file_name(const std::string& text) {
  const auto digits = text.find_last_not_of("0123456789") + 1;
  try {
    return parse_candidate(
        digits == text.size() ? text : text.substr(0, digits) + ":" + text.substr(digits));
  } catch (const Error&) {
    return std::nullopt;
  }
}

SavedRun read_saved_run(const fs::path& directory) try {
  SavedRun run;
  run.directory = find_run(directory);
  const auto directories = trial_directories(run.directory);
  const auto campaign = read_if_there(run.directory / "campaign.json");
  const fs::path summary_path = run.directory / "summary.json";
  std::optional<SavedSummary> summary;
  if (campaign) {
    summary = read_or_note(parse_summary, summary_path, run.notes);
    run.campaign = parse_campaign(*campaign, (run.directory / "campaign.json").string());
  } else if (const auto text = read_if_there(summary_path)) {
    summary = parse_summary(*text, summary_path.string());
    run.campaign = summary->campaign;
  }
  const bool ours = campaign || std::any_of(directories.begin(), directories.end(),
                                            [](const TrialDirectory& trial) {
                                              return fs::is_regular_file(trial.path / "trial.json");
                                            });
  if (ours) {
    add_own_trials(directories, summary ? &*summary : nullptr, run);
  } else if (summary) {
    add_listed_trials(directories, *summary, run);
  } else {
    add_named_trials(directories, run);
  }
  std::stable_sort(run.trials.begin(), run.trials.end(),
                   [](const TrialOnDisk& left, const TrialOnDisk& right) {
                     return left.saved.trial.index < right.saved.trial.index;
                   });
  return run;
} catch (const fs::filesystem_error& failure) {
  throw environment_error("run.cannot_read", "cannot read the run: {}", failure.what());
}

}  // namespace mstune::coordinator
