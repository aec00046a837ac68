// The directory of one campaign: its layout, and what is written when.
//
// Everything about a trial is on disk before the next one starts: steps.log as its lines come,
// the rest when it has ended.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/os/file.h"
#include "coordinator/documents.h"
#include "coordinator/plan.h"
#include "coordinator/record_log.h"
#include "protocol/messages.h"

namespace mstune::coordinator {

class RunDirectory {
 public:
  // Makes run_YYYYMMDD_HHMMSS_PID below `output_dir`, with a suffix when that is taken.
  static RunDirectory create(const std::filesystem::path& output_dir);

  explicit RunDirectory(std::filesystem::path path) : path_(std::move(path)) {}

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path trial_directory(const Trial& trial) const;
  // Where what a discarded attempt left is kept for whoever wants to know.
  [[nodiscard]] std::filesystem::path attempt_directory(const Trial& trial,
                                                        std::uint32_t attempt) const;
  // Moves the trial's directory there. One that does not exist is passed over.
  void move_apart(const Trial& trial, std::uint32_t attempt) const;

  void write_campaign(const CampaignDocument& campaign) const;
  void write_summary(const CampaignDocument& campaign, const Ranking& ranking,
                     const std::vector<EvaluatedTrial>& trials) const;
  // report.html, in the language of this process.
  void write_report(const CampaignDocument& campaign, const Ranking& ranking,
                    const std::vector<EvaluatedTrial>& trials) const;

 private:
  std::filesystem::path path_;
};

// One attempt at a trial, from its first event to its record on disk.
class TrialRecorder {
 public:
  // Makes the trial's directory, or empties what an earlier attempt left there.
  TrialRecorder(std::filesystem::path directory, Trial trial, std::uint32_t attempt);

  // Takes events in their order; `first` is the number of the first. What was taken before is
  // passed over. False: events are missing before these.
  bool take(const protocol::Events& events);
  // Events up to here are with the kernel and may be acknowledged.
  [[nodiscard]] std::uint64_t events() const { return next_; }

  [[nodiscard]] const Trial& trial() const { return trial_; }
  [[nodiscard]] std::uint32_t attempt() const { return attempt_; }
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
  [[nodiscard]] const RecordLog& records() const { return records_; }
  // Set by the last event.
  [[nodiscard]] const std::optional<protocol::Exited>& exited() const { return exited_; }
  // Notices that came since the last call.
  std::vector<Message> take_notices();

  // True when the trial counts, as far as its records and its exit say.
  [[nodiscard]] bool is_valid(const Gates& gates) const;
  // Judges the trial and writes steps.csv and trial.json. An empty pattern finds no digest.
  EvaluatedTrial finish(const Gates& gates, const std::string& digest_pattern);

 private:
  void take_one(const protocol::Event& event);

  std::filesystem::path directory_;
  Trial trial_;
  std::uint32_t attempt_;
  os::AppendFile steps_log_;
  RecordLog records_;
  std::string pending_;  // lines of steps.log that are not written yet
  std::uint64_t next_ = 0;
  std::optional<protocol::Exited> exited_;
  std::vector<Message> notices_;
};

// What became of the program, in the words of the evaluation.
TrialOutcome outcome_of(const protocol::Exited& exited);

}  // namespace mstune::coordinator
