// What the live view shows of a campaign: events in, a state out. Pure; it is drawn by live_view.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/time.h"
#include "coordinator/progress_events.h"

namespace mstune::coordinator {

// A trial that runs.
struct RunningTrial {
  Trial trial;
  TimePoint since;
  std::uint64_t steps = 0;
  std::optional<double> median_us;
};

// A candidate in the ranking so far.
struct StandingSoFar {
  Candidate candidate;
  std::uint64_t valid = 0;
  std::uint64_t trials = 0;
  std::optional<double> median_us;  // of the medians of its valid runs; empty on several devices
  std::optional<double> speedup;    // over default; on several devices the geometric mean of theirs
};

class LiveState {
 public:
  // `now` is that of the loop; the epoch stands for "before the loop began".
  void take(const ProgressEvent& event, TimePoint now);

  // Running trials by device; a campaign with one device has one entry at most.
  [[nodiscard]] const std::vector<RunningTrial>& running() const { return running_; }
  [[nodiscard]] const std::vector<Candidate>& building() const { return building_; }
  // By median, on several devices by speedup; those without one last, in the order of the campaign.
  [[nodiscard]] std::vector<StandingSoFar> standings() const;
  // On the device of that trial.
  [[nodiscard]] std::optional<double> default_median_us(const Trial& trial) const;
  [[nodiscard]] std::size_t trials_done() const { return done_; }
  [[nodiscard]] std::size_t trials_planned() const { return planned_; }
  [[nodiscard]] bool open_ended() const { return open_ended_; }
  [[nodiscard]] std::uint64_t rounds() const { return rounds_; }
  [[nodiscard]] int round() const { return round_; }  // of the trial that began last
  [[nodiscard]] std::optional<Duration> elapsed(TimePoint now) const;
  // A guess from what the trials so far took; empty before the first is done.
  [[nodiscard]] std::optional<Duration> left(TimePoint now) const;

 private:
  void begin(const TrialBegun& event, TimePoint now);
  void end(const TrialDone& event);
  void note_purpose(const Trial& trial);

  std::vector<Candidate> candidates_;
  using Medians = std::map<Candidate, std::vector<double>>;
  [[nodiscard]] std::optional<double> speedup_of(const Candidate& candidate) const;

  std::map<std::uint32_t, Medians> medians_us_;  // by device: their costs are never pooled
  std::map<Candidate, std::uint64_t> trials_;
  std::optional<Purpose> ranked_;  // which trials stand in the ranking, once one is known
  std::vector<RunningTrial> running_;
  std::vector<Candidate> building_;
  std::optional<TimePoint> begun_;
  std::optional<TimePoint> first_trial_;
  std::uint64_t rounds_ = 0;
  int round_ = 0;
  std::size_t planned_ = 0;
  std::size_t done_ = 0;
  std::size_t done_here_ = 0;  // since the first trial of this session began
  bool open_ended_ = false;
};

}  // namespace mstune::coordinator
