#include "coordinator/run_directory.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include <fmt/chrono.h>

#include "common/error.h"
#include "common/language.h"
#include "coordinator/report_page.h"
#include "coordinator/step_set.h"
#include "coordinator/steps_csv.h"
#include "coordinator/steps_log.h"
#include "coordinator/trial_digest.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

fs::path emptied(fs::path directory) {
  os::remove_tree(directory);
  os::make_directory(directory);
  return directory;
}

// A reason of the outcome has the cause's own name; the program's exit status is judged by the
// evaluation.
void add_reason(TrialOutcome& outcome, const protocol::Exited& exited) {
  if (exited.cause != protocol::kCauseExit) {
    outcome.reasons.push_back({exited.cause, exited.detail});
  }
}

}  // namespace

RunDirectory RunDirectory::create(const fs::path& output_dir) {
  os::make_directory(output_dir);
  const std::string stem =
      fmt::format("run_{:%Y%m%d_%H%M%S}_{}", fmt::localtime(std::time(nullptr)), ::getpid());
  for (int suffix = 1;; ++suffix) {
    const fs::path path = output_dir / (suffix == 1 ? stem : fmt::format("{}_{}", stem, suffix));
    std::error_code failure;
    if (fs::create_directory(path, failure)) {
      return RunDirectory(path);
    }
    if (failure) {
      throw environment_error("run.cannot_make_directory", "cannot make {}: {}", path.string(),
                              failure.message());
    }
  }
}

fs::path RunDirectory::trial_directory(const Trial& trial) const {
  return path_ / directory_name(trial);
}

fs::path RunDirectory::attempt_directory(const Trial& trial, std::uint32_t attempt) const {
  return path_ / "attempts" / fmt::format("{}_a{}", directory_name(trial), attempt);
}

void RunDirectory::move_apart(const Trial& trial, std::uint32_t attempt) const {
  os::make_directory(path_ / "attempts");
  std::error_code failure;
  fs::rename(trial_directory(trial), attempt_directory(trial, attempt), failure);
}

void RunDirectory::write_campaign(const CampaignDocument& campaign) const {
  os::write_file_atomically(path_ / "campaign.json", campaign_json(campaign));
}

void RunDirectory::write_summary(const CampaignDocument& campaign, const Ranking& ranking,
                                 const std::vector<EvaluatedTrial>& trials) const {
  os::write_file_atomically(path_ / "summary.csv", summary_csv(ranking));
  os::write_file_atomically(path_ / "summary.json", summary_json(campaign, ranking, trials));
}

void RunDirectory::write_report(const CampaignDocument& campaign, const Ranking& ranking,
                                const std::vector<EvaluatedTrial>& trials) const {
  os::write_file_atomically(
      path_ / "report.html",
      report_page({campaign, ranking, trials, path_.filename().string()}, spoken()));
}

TrialRecorder::TrialRecorder(fs::path directory, Trial trial, std::uint32_t attempt)
    : directory_(emptied(std::move(directory))),
      trial_(trial),
      attempt_(attempt),
      steps_log_(directory_ / "steps.log") {}

bool TrialRecorder::take(const protocol::Events& events) {
  if (events.first > next_) {
    return false;
  }
  for (std::uint64_t i = next_ - events.first; i < events.events.size(); ++i) {
    take_one(events.events[static_cast<std::size_t>(i)]);
    ++next_;
  }
  if (!pending_.empty()) {
    steps_log_.append(pending_);
    pending_.clear();
  }
  return true;
}

void TrialRecorder::take_one(const protocol::Event& event) {
  if (const auto* step = std::get_if<protocol::StepLine>(&event)) {
    records_.add(step->source, step->line, step->text.value);
    pending_ += format_steps_log_line(step->source, step->line, step->text.value);
  } else if (const auto* notice = std::get_if<protocol::Notice>(&event)) {
    if (!notice->what.text.empty()) {
      notices_.push_back(notice->what);
    }
  } else if (const auto* exited = std::get_if<protocol::Exited>(&event)) {
    exited_ = *exited;
  }
}

std::vector<Message> TrialRecorder::take_notices() {
  return std::exchange(notices_, {});
}

TrialOutcome outcome_of(const protocol::Exited& exited) {
  TrialOutcome outcome;
  if (exited.started) {
    outcome.exit_code = exited.exit_code;
    outcome.wall_seconds = static_cast<double>(exited.run_us) / 1e6;
  }
  add_reason(outcome, exited);
  return outcome;
}

bool TrialRecorder::is_valid(const Gates& gates) const {
  return evaluate(StepSet(records_), name(trial_.candidate), outcome_of(*exited_), gates).valid;
}

EvaluatedTrial TrialRecorder::finish(const Gates& gates, const std::string& digest_pattern) {
  EvaluatedTrial result{trial_, attempt_, outcome_of(*exited_), {}, {}};
  result.digest = read_digest(directory_, digest_pattern);
  const StepSet steps(records_);
  result.evaluation = evaluate(steps, name(trial_.candidate), result.outcome, gates);
  os::AppendFile csv(directory_ / "steps.csv");
  format_steps_csv(steps, [&](std::string_view text) { csv.append(text); });
  csv.write_back();
  steps_log_.write_back();
  // The last one to be written: where it is whole, so is the trial.
  os::AppendFile document(directory_ / "trial.json");
  document.append(trial_json(result));
  document.sync();
  return result;
}

}  // namespace mstune::coordinator
