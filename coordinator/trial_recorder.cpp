#include "coordinator/trial_recorder.h"

#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "common/os/new_file.h"
#include "coordinator/documents.h"
#include "coordinator/fallback_reasons.h"
#include "coordinator/output_end.h"
#include "coordinator/step_set.h"
#include "coordinator/steps_csv.h"
#include "coordinator/steps_log.h"
#include "coordinator/trial_digest.h"
#include "coordinator/trial_records.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgressLog = "progress.log";

fs::path emptied(fs::path directory) {
  os::remove_tree(directory);
  os::make_directory(directory);
  return directory;
}

std::string progress_line(const AttemptProgress& progress) {
  return fmt::format("{} {} {}\n", progress.attempt, progress.events, progress.steps_bytes);
}

// What stands in steps.log behind the last secured event comes again. A line of progress.log that a
// full disk or a crash cut off must not run into the next one.
fs::path cut_back(fs::path directory, const AttemptProgress& progress) {
  std::error_code failure;
  if (fs::file_size(directory / "steps.log", failure) > progress.steps_bytes && !failure) {
    fs::resize_file(directory / "steps.log", progress.steps_bytes);
  }
  os::remove_drafts(directory);
  os::remove_tree(directory / "attempt.json");  // it was about to be moved apart
  os::remove_tree(directory / "plog");          // perhaps half of a file: they are fetched again
  os::write_file_atomically(directory / kProgressLog, progress_line(progress));
  return directory;
}

// "ATTEMPT EVENTS BYTES", or nothing.
std::optional<AttemptProgress> parse_progress(std::string_view line) {
  AttemptProgress progress;
  const char* at = line.data();
  const char* const end = line.data() + line.size();
  const auto read = [&](auto& number, char after) {
    const auto [next, failure] = std::from_chars(at, end, number);
    const bool fits = failure == std::errc{} && (after == '\0' ? next == end : next < end);
    at = fits && after != '\0' ? next + 1 : next;
    return fits && (after == '\0' || *next == after);
  };
  if (read(progress.attempt, ' ') && read(progress.events, ' ') &&
      read(progress.steps_bytes, '\0')) {
    return progress;
  }
  return std::nullopt;
}

// A reason of the outcome has the cause's own name; the program's exit status is judged by the
// evaluation.
std::optional<double> number_in(const std::string& text) {
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_one = failure == std::errc{} && end == text.data() + text.size();
  return is_one && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

// Of a device without figures nothing is known.
std::vector<MeterReading> readings_of(const std::vector<protocol::DeviceReading>& told) {
  std::vector<MeterReading> readings;
  for (const protocol::DeviceReading& each : told) {
    const MeterReading reading{each.device, number_in(each.temperature_c), number_in(each.power_w),
                               number_in(each.clock_mhz)};
    if (each.device >= 0 && (reading.temperature_c || reading.power_w || reading.clock_mhz)) {
      readings.push_back(reading);
    }
  }
  return readings;
}

void add_reason(TrialOutcome& outcome, const protocol::Exited& exited) {
  if (exited.cause != protocol::kCauseExit) {
    outcome.reasons.push_back({exited.cause, exited.detail});
  }
}

}  // namespace

std::optional<AttemptProgress> read_progress(const fs::path& trial_directory) {
  const fs::path path = trial_directory / kProgressLog;
  if (!fs::is_regular_file(path)) {
    return std::nullopt;
  }
  std::error_code missing;
  const auto size = fs::file_size(trial_directory / "steps.log", missing);
  // Only whole lines count: the last one may be cut.
  std::optional<AttemptProgress> last;
  const std::string text = os::read_file(path);
  std::size_t begin = 0;
  for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    if (const auto line = parse_progress(std::string_view(text).substr(begin, end - begin))) {
      last = line;
    }
    begin = end + 1;
  }
  // Steps that a power cut took away, or a person, come from nobody again.
  const bool is_whole = last && (last->steps_bytes == 0 || (!missing && size >= last->steps_bytes));
  return is_whole ? last : std::nullopt;
}

TrialRecorder::TrialRecorder(fs::path directory, Trial trial, std::uint32_t attempt)
    : directory_(emptied(std::move(directory))),
      trial_(std::move(trial)),
      attempt_(attempt),
      steps_log_(directory_ / "steps.log"),
      progress_log_(directory_ / kProgressLog) {
  progress_log_.append(progress_line({attempt_, 0, 0}));
}

TrialRecorder::TrialRecorder(fs::path directory, Trial trial, const AttemptProgress& progress)
    : directory_(cut_back(std::move(directory), progress)),
      trial_(std::move(trial)),
      attempt_(progress.attempt),
      steps_log_(directory_ / "steps.log"),
      progress_log_(directory_ / kProgressLog),
      records_(read_trial_records(directory_)),
      steps_bytes_(progress.steps_bytes),
      next_(progress.events),
      secured_(progress.events) {}

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
    steps_bytes_ += pending_.size();
    pending_.clear();
  }
  return true;
}

void TrialRecorder::take_one(const protocol::Event& event) {
  if (const auto* step = std::get_if<protocol::StepLine>(&event)) {
    // A line that is no record is kept in steps.log like one that is, and counts like one.
    flooded_ = flooded_ || records_.size() + records_.malformed_count() >= records_max_;
    if (!flooded_) {
      records_.add(step->source.value, step->line, step->text.value);
      pending_ += format_steps_log_line(step->source.value, step->line, step->text.value);
    }
  } else if (const auto* line = std::get_if<protocol::EventLine>(&event)) {
    if (records_.events().size() < RecordLog::kEventsKept) {
      records_.add(line->source.value, line->line, line->text.value);
      pending_ += format_steps_log_line(line->source.value, line->line, line->text.value);
    }
  } else if (const auto* notice = std::get_if<protocol::Notice>(&event)) {
    if (!notice->what.text.empty()) {
      notices_.push_back(notice->what);
    }
  } else if (const auto* exited = std::get_if<protocol::Exited>(&event)) {
    exited_ = *exited;
  }
}

std::uint64_t TrialRecorder::secure() {
  const std::uint64_t safe = exited_ ? next_ - 1 : next_;
  if (safe > secured_) {
    progress_log_.append(progress_line({attempt_, safe, steps_bytes_}));
    secured_ = safe;
  }
  return secured_;
}

std::vector<Message> TrialRecorder::take_notices() {
  return std::exchange(notices_, {});
}

TrialOutcome outcome_of(const protocol::Exited& exited) {
  TrialOutcome outcome;
  outcome.readings_before = readings_of(exited.readings_before);
  outcome.readings_after = readings_of(exited.readings_after);
  outcome.facts = exited.facts;
  if (exited.started) {
    outcome.exit_code = exited.exit_code;
    outcome.wall_seconds = static_cast<double>(exited.run_us) / 1e6;
  }
  add_reason(outcome, exited);
  return outcome;
}

TrialOutcome TrialRecorder::outcome() const {
  if (!flooded_) {
    return outcome_of(*exited_);
  }
  protocol::Exited ended = *exited_;
  ended.cause = "too_many_records";
  ended.detail =
      message("trial.too_many_records",
              "it wrote more than {} STEP records (--max-records) and was ended", records_max_);
  return outcome_of(ended);
}

bool TrialRecorder::is_valid(const Gates& gates) const {
  return evaluate(StepSet(records_), name(trial_.candidate), outcome(), gates).valid;
}

EvaluatedTrial TrialRecorder::finish(const Gates& gates, const std::string& digest_pattern,
                                     CauseContext context) {
  EvaluatedTrial result{trial_, attempt_, outcome(), {}, {}};
  add_fallbacks(fallbacks_, result.outcome);
  result.digest = read_digest(directory_, digest_pattern);
  const StepSet steps(records_);
  result.evaluation = evaluate(steps, name(trial_.candidate), result.outcome, gates);
  if (!result.evaluation.valid) {
    result.outcome.output_end = output_end(directory_ / "stdout.log");
  }
  note_trial(result, context);
  result.evaluation.cause = cause_of(result, context);
  os::NewFile csv(directory_ / "steps.csv");
  format_steps_csv(steps, [&](std::string_view text) { csv.append(text); });
  // Before trial.json is: where that one is, the trial is whole, after a power cut as well.
  csv.put_in_place();
  steps_log_.sync();
  os::write_file_atomically(
      directory_ / "trial.json",
      trial_json(result, ProgramOutput{exited_->output_dropped_bytes, exited_->output_tail.value}));
  os::sync_directory(directory_.parent_path());
  fs::remove(progress_log_.path());
  return result;
}

}  // namespace mstune::coordinator
