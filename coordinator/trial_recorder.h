// One attempt at a trial on the coordinator's disk, from its first event to its record.
//
// steps.log grows as lines come, those of GE's EVENT level among them; progress.log says how much
// of it is whole, so that a coordinator that is started again goes on where the last one was
// killed. steps.csv and trial.json come at the end, and progress.log goes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/ge_fallback.h"
#include "common/os/file.h"
#include "coordinator/documents.h"
#include "coordinator/plan.h"
#include "coordinator/record_log.h"
#include "coordinator/trial_cause.h"
#include "protocol/messages.h"

namespace mstune::coordinator {

// How far an attempt has come, as progress.log says it.
struct AttemptProgress {
  std::uint32_t attempt = 0;
  std::uint64_t events = 0;       // those before this number are on disk
  std::uint64_t steps_bytes = 0;  // of steps.log that belong to them
};

// An attempt that an earlier coordinator left, perhaps still running.
struct LeftAttempt {
  AttemptProgress progress;
  std::string directory;  // its name in the run directory
};

// Nothing where there is no progress.log in the trial's directory, none that says anything, or
// steps.log holds less than it says.
std::optional<AttemptProgress> read_progress(const std::filesystem::path& trial_directory);

class TrialRecorder {
 public:
  // Makes the trial's directory, or empties what an earlier attempt left there.
  TrialRecorder(std::filesystem::path directory, Trial trial, std::uint32_t attempt);
  // Goes on with what an earlier coordinator left in the directory.
  TrialRecorder(std::filesystem::path directory, Trial trial, const AttemptProgress& progress);

  // At most so many records, malformed ones among them, are kept; what comes after them is left
  // out, and is_flooded() is true.
  void limit_records(std::uint64_t records_max) { records_max_ = records_max; }
  [[nodiscard]] bool is_flooded() const { return flooded_; }

  // Takes events in their order; `first` is the number of the first. What was taken before is
  // passed over. False: events are missing before these.
  bool take(const protocol::Events& events);
  // How many were taken.
  [[nodiscard]] std::uint64_t events() const { return next_; }
  // Writes down how far it has come and returns the number of events that the agent may forget:
  // all but the last one of the attempt, which is safe only once the trial is recorded.
  std::uint64_t secure();

  [[nodiscard]] const Trial& trial() const { return trial_; }
  [[nodiscard]] std::uint32_t attempt() const { return attempt_; }
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
  [[nodiscard]] const RecordLog& records() const { return records_; }
  // What its files that came back say.
  void note_fallbacks(const std::vector<GeFallback>& found) { fallbacks_ = found; }
  // Set by the last event.
  [[nodiscard]] const std::optional<protocol::Exited>& exited() const { return exited_; }
  // Notices that came since the last call.
  std::vector<Message> take_notices();

  // True when the trial counts, as far as its records and its exit say.
  [[nodiscard]] bool is_valid(const Gates& gates) const;
  // Judges the trial and writes steps.csv and trial.json, each of them whole, whatever an earlier
  // coordinator left of them. An empty pattern finds no digest; `context` knows the
  // trials before it.
  EvaluatedTrial finish(const Gates& gates, const std::string& digest_pattern,
                        CauseContext context = {});

 private:
  void take_one(const protocol::Event& event);
  [[nodiscard]] TrialOutcome outcome() const;

  std::filesystem::path directory_;
  Trial trial_;
  std::uint32_t attempt_;
  os::AppendFile steps_log_;
  os::AppendFile progress_log_;
  RecordLog records_;
  std::string pending_;  // lines of steps.log that are not written yet
  std::uint64_t steps_bytes_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t secured_ = 0;
  std::uint64_t records_max_ = 10'000'000;
  bool flooded_ = false;
  std::optional<protocol::Exited> exited_;
  std::vector<Message> notices_;
  std::vector<GeFallback> fallbacks_;
};

// What became of the program, in the words of the evaluation.
TrialOutcome outcome_of(const protocol::Exited& exited);

}  // namespace mstune::coordinator
