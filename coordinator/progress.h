// What is told while a campaign runs, on one stream: plain lines, a live view, lines of JSON, or
// nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/time.h"
#include "coordinator/live_screen.h"
#include "coordinator/live_view.h"
#include "coordinator/progress_events.h"
#include "coordinator/record_log.h"

namespace mstune::coordinator {

enum class ProgressStyle {
  plain,       // lines for a person, without control characters
  live,        // a terminal: a view that is drawn anew, finished trials as lines above it
  json_lines,  // one event a line
  quiet,       // nothing
};

class Progress {
 public:
  // `terminal` says what the terminal is like now; only the live view asks.
  explicit Progress(std::ostream& out, ProgressStyle style = ProgressStyle::plain,
                    std::function<Terminal()> terminal = {});
  // Takes the live view away.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void campaign(const CampaignDocument& campaign, const std::string& run_directory);
  // Trials that are known from now on, in addition; `open_ended`: more may follow.
  void planned(std::size_t trials, bool open_ended);
  void building(const Candidate& candidate);
  void build_failed(const Candidate& candidate, const std::string& output_tail);
  void built(const Candidate& candidate, double seconds, const std::string& path);
  void uploaded(const Candidate& candidate, std::uint64_t size, std::uint64_t sent);
  void started(const Trial& trial, const std::string& command);
  // The records of a running trial have grown.
  void grown(const Trial& trial, const RecordLog& records);
  void recorded(const EvaluatedTrial& trial, const std::string& output_tail);
  // A trial of an earlier session of this campaign: it counts, and is not told again.
  void known(const EvaluatedTrial& trial);
  // What a look at the evidence led to.
  void decided(const Message& what);
  // A note is told once, however often it comes.
  void note(const Message& what);

  // Called once when what is told cannot be written any more; nothing is told from then on.
  void when_lost(std::function<void()> act) { when_lost_ = std::move(act); }

  // To be called by the loop whenever it wakes, and at the deadline at the latest.
  void tick(TimePoint now);
  [[nodiscard]] TimePoint deadline() const;
  // Takes the live view away: what follows is the result.
  void end();

 private:
  void tell(const ProgressEvent& event);
  void draw(const std::string& above);
  void look_at_stream();

  std::ostream& out_;
  ProgressStyle style_;
  std::function<Terminal()> terminal_;
  std::function<void()> when_lost_;
  std::set<std::string> told_;
  TimePoint now_;
  TimePoint drawn_;
  TimePoint counted_;  // when the median of a running trial was taken last
  LiveState state_;
  LiveScreen screen_;
};

// The median cost of the latest steps of the object with most of them, in microseconds; empty
// without a record. A look at a trial that runs: the evaluation judges all of it later.
std::optional<double> latest_median_us(const RecordLog& records);

}  // namespace mstune::coordinator
