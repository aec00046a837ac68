#include "coordinator/progress.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <utility>

namespace mstune::coordinator {
namespace {

using std::chrono::milliseconds;

constexpr Duration kRedrawAfterMin = milliseconds(250);   // however much happens
constexpr Duration kRedrawAfterMax = milliseconds(1000);  // for the clock, when nothing happens

// What the live view shows by itself is no line above it.
bool stands_in_view(const ProgressEvent& event) {
  return std::holds_alternative<TrialBegun>(event) || std::holds_alternative<BuildBegun>(event);
}

}  // namespace

std::optional<double> latest_median_us(const RecordLog& records) {
  constexpr std::size_t kLatest = 4096;
  std::map<ObjectId, std::vector<std::uint64_t>> costs;
  const std::size_t count = records.size();
  for (std::size_t at = count - std::min(count, kLatest); at < count; ++at) {
    costs[records.shape(at).object].push_back(records.cost_us(at));
  }
  const auto most = std::max_element(
      costs.begin(), costs.end(),
      [](const auto& left, const auto& right) { return left.second.size() < right.second.size(); });
  return most == costs.end() ? std::nullopt : std::optional(figures_of(most->second).median_us);
}

Progress::Progress(std::ostream& out, ProgressStyle style, std::function<Terminal()> terminal)
    : out_(out), style_(style), terminal_(std::move(terminal)), screen_(out) {}

Progress::~Progress() {
  end();
}

void Progress::tell(const ProgressEvent& event) {
  switch (style_) {
    case ProgressStyle::plain:
      out_ << plain_text(event) << std::flush;
      break;
    case ProgressStyle::json_lines:
      out_ << json_line(event) << std::flush;
      break;
    case ProgressStyle::live:
      state_.take(event, now_);
      if (!stands_in_view(event)) {
        if (const std::string text = plain_text(event); !text.empty()) {
          draw(text);
        }
      }
      break;
    case ProgressStyle::quiet:
      break;
  }
  look_at_stream();
}

// Whoever read it has gone, or its disk is full: the campaign goes on without.
void Progress::look_at_stream() {
  if (style_ != ProgressStyle::quiet && !out_) {
    style_ = ProgressStyle::quiet;
    if (when_lost_) {
      when_lost_();
    }
  }
}

void Progress::draw(const std::string& above) {
  const Terminal terminal = terminal_();
  screen_.show(above, live_lines(state_, terminal, now_), terminal.columns);
  drawn_ = now_;
}

void Progress::tick(TimePoint now) {
  now_ = now;
  if (style_ == ProgressStyle::live && now >= drawn_ + kRedrawAfterMin) {
    draw("");
    look_at_stream();
  }
}

TimePoint Progress::deadline() const {
  return style_ == ProgressStyle::live ? drawn_ + kRedrawAfterMax : kNever;
}

void Progress::end() {
  if (style_ == ProgressStyle::live) {
    screen_.clear(terminal_().columns);
    style_ = ProgressStyle::plain;
  }
}

void Progress::campaign(const CampaignDocument& campaign, const std::string& run_directory) {
  tell(CampaignBegun{campaign.candidates, campaign.repeat, run_directory});
}

void Progress::planned(std::size_t trials, bool open_ended) {
  tell(TrialsPlanned{trials, open_ended});
}

void Progress::building(const Candidate& candidate) {
  tell(BuildBegun{candidate});
}

void Progress::built(const Candidate& candidate, double seconds, const std::string& path) {
  tell(BuildDone{candidate, seconds, path});
}

void Progress::build_failed(const Candidate& candidate, const std::string& output_tail) {
  tell(BuildLost{candidate, output_tail});
}

void Progress::uploaded(const Candidate& candidate, std::uint64_t size, std::uint64_t sent) {
  tell(UploadDone{candidate, size, sent});
}

void Progress::started(const Trial& trial, const std::string& command) {
  tell(TrialBegun{trial, command});
}

void Progress::grown(const Trial& trial, const RecordLog& records) {
  const bool wanted = style_ == ProgressStyle::live || style_ == ProgressStyle::json_lines;
  const Duration pause = style_ == ProgressStyle::live ? kRedrawAfterMin : kRedrawAfterMax;
  if (!wanted || now_ < counted_ + pause) {
    return;
  }
  counted_ = now_;
  if (const auto median_us = latest_median_us(records)) {
    tell(StepsSeen{trial, records.size(), *median_us});
  }
}

void Progress::recorded(const EvaluatedTrial& trial, const std::string& output_tail) {
  tell(TrialDone{trial, output_tail});
}

void Progress::known(const EvaluatedTrial& trial) {
  state_.take(TrialDone{trial, ""}, now_);
}

void Progress::decided(const Message& what) {
  tell(Decided{what});
}

void Progress::note(const Message& what) {
  if (told_.insert(what.text).second) {
    tell(Noted{what});
  }
}

}  // namespace mstune::coordinator
