#include "coordinator/run_leftovers.h"

#include <charconv>
#include <system_error>

#include "common/error.h"
#include "common/os/file.h"
#include "common/os/new_file.h"
#include "coordinator/evaluated_run.h"
#include "coordinator/steps_csv.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> directories_in(const fs::path& parent) {
  std::vector<fs::path> directories;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, failure)) {
    if (entry.is_directory(failure)) {
      directories.push_back(entry.path());
    }
  }
  return directories;
}

// Removes the mark and the number behind it from the end of `text`: "_r2", "_d3", "_a1".
std::optional<std::uint32_t> cut_number(std::string_view& text, std::string_view mark) {
  const auto at = text.rfind(mark);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [next, failure] = std::from_chars(text.data() + at + mark.size(), end, number);
  if (failure != std::errc{} || next != end) {
    return std::nullopt;
  }
  text = text.substr(0, at);
  return number;
}

bool cut_purpose(std::string_view& text, Purpose purpose) {
  const std::string suffix = "_" + std::string(word(purpose));
  if (!text.ends_with(suffix)) {
    return false;
  }
  text.remove_suffix(suffix.size());
  return true;
}

void describe(const fs::path& attempt) {
  const std::string name = attempt.filename().string();
  const auto trial = trial_of_directory(name);
  std::string_view text = name;
  // Kept twice under one number: "_a1_2".
  const auto twice = text.rfind('_');
  std::optional<std::uint32_t> number = cut_number(text, "_a");
  if (!number && twice != std::string_view::npos) {
    text = text.substr(0, twice);
    number = cut_number(text, "_a");
  }
  if (trial && number) {
    os::write_file_atomically(attempt / "attempt.json",
                              attempt_json(*trial, *number,
                                           message("trial.left_apart",
                                                   "it was put aside, and mstune was killed before "
                                                   "it could write down why")));
  }
}

// Whether the table on disk is that of these steps: one of a killed coordinator may be missing,
// and an older mstune could write it twice.
bool has_table(const fs::path& file, const StepSet& steps) {
  std::uintmax_t size = 0;
  format_steps_csv(steps, [&size](std::string_view piece) { size += piece.size(); });
  std::error_code failure;
  return fs::file_size(file, failure) == size && !failure;
}

void write_table(const fs::path& file, const StepSet& steps) {
  os::NewFile table(file);
  format_steps_csv(steps, [&table](std::string_view piece) { table.append(piece); });
  table.put_in_place();
}

}  // namespace

void remove_leftovers(const RunDirectory& directory) {
  os::remove_drafts(directory.path());
  for (const fs::path& trial : directories_in(directory.path())) {
    if (!trial.filename().string().starts_with("trial_")) {
      continue;
    }
    os::remove_drafts(trial);
    os::remove_tree(trial / "trial.json.new");  // as an earlier mstune named its draft
    if (fs::is_regular_file(trial / "trial.json")) {
      os::remove_tree(trial / "progress.log");
    }
  }
  for (const fs::path& attempt : directories_in(directory.attempts_directory())) {
    os::remove_drafts(attempt);
    if (!fs::exists(attempt / "attempt.json")) {
      describe(attempt);
    }
  }
}

std::optional<Trial> trial_of_directory(std::string_view name) {
  constexpr std::string_view kPrefix = "trial_";
  if (!name.starts_with(kPrefix)) {
    return std::nullopt;
  }
  std::string_view text = name.substr(kPrefix.size());
  Trial trial;
  const auto [next, failure] = std::from_chars(text.data(), text.data() + text.size(), trial.index);
  if (failure != std::errc{} || next == text.data() + text.size() || *next != '_') {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(next - text.data()) + 1);
  if (!cut_number(text, "_a")) {
    std::string_view once = text.substr(0, text.rfind('_'));  // "_a1_2"
    if (cut_number(once, "_a")) {
      text = once;
    }
  }
  trial.device = cut_number(text, "_d");
  const auto round = cut_number(text, "_r");
  if (!round) {
    return std::nullopt;
  }
  trial.repeat = static_cast<int>(*round);
  for (const Purpose purpose : {Purpose::control, Purpose::confirm}) {
    if (cut_purpose(text, purpose)) {
      trial.purpose = purpose;
    }
  }
  const auto candidate = candidate_of_file_name(std::string(text));
  if (!candidate) {
    return std::nullopt;
  }
  trial.candidate = *candidate;
  return trial;
}

std::optional<EvaluatedTrial> evaluate_whole(const TrialOnDisk& trial,
                                             const CampaignDocument& campaign,
                                             std::optional<Message>& why) {
  const std::uint64_t had = trial.saved.step_count.value_or(0);
  EvaluatedTrial result = evaluate_on_disk(trial, campaign, false, [&](const StepSet& steps) {
    const fs::path table = trial.directory / "steps.csv";
    if (fs::is_regular_file(trial.directory / "steps.log") && !has_table(table, steps)) {
      write_table(table, steps);
    }
  });
  if (result.evaluation.step_count >= had) {
    return result;
  }
  why = message("trial.steps_missing",
                "{} had {} steps, and its logs hold {} of them: it is run again",
                trial.directory.filename().string(), had, result.evaluation.step_count);
  return std::nullopt;
}

}  // namespace mstune::coordinator
