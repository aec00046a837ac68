// Any sequence of events into the agent's machine of one trial, sensible or not: it asks for a
// program at most once, for its end before its output, and tells exactly one exit, the last event.
#include <cstddef>
#include <cstdint>
#include <variant>

#include "agent/job.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/feed.h"
#include "tests/fuzz/stopwatch.h"

namespace {

using namespace mstune;
using namespace mstune::agent;
using mstune::fuzz::check;

class Watch {
 public:
  void see(const std::vector<JobAction>& actions) {
    for (const JobAction& action : actions) {
      check(!removed_);
      std::visit([this](const auto& asked) { see(asked); }, action);
    }
  }

 private:
  void see(const PrepareEnvironment& /*asked*/) {
    check(!prepared_);
    prepared_ = true;
  }
  void see(const StartProgram& /*asked*/) { check(prepared_); }
  void see(const EndTree& /*asked*/) { check(prepared_); }
  void see(const DrainOutput& /*asked*/) {
    check(!drained_);
    drained_ = true;
  }
  void see(const SendEvents& asked) {
    // Numbers are taken up where they ended, or somewhere before: never with a gap.
    check(asked.batch.first <= next_);
    check(!asked.batch.events.empty());
    std::uint64_t number = asked.batch.first;
    for (const protocol::Event& event : asked.batch.events) {
      if (std::holds_alternative<protocol::Exited>(event)) {
        check(!exit_ || *exit_ == number);
        exit_ = number;
      }
      ++number;
    }
    next_ = std::max(next_, number);
  }
  void see(const SendStatus& asked) { check(asked.state != protocol::TrialState::lost); }
  void see(const RemoveJob& /*asked*/) { removed_ = true; }

  bool prepared_ = false;
  bool drained_ = false;
  bool removed_ = false;
  std::uint64_t next_ = 0;
  std::optional<std::uint64_t> exit_;
};

JobEvent event_of(fuzz::Feed& feed) {
  switch (feed.byte() % 15) {
    case 0:
      return EnvironmentReady{};
    case 1:
      return NotStarted{message("a.b", "why")};
    case 2:
      return ProgramStarted{feed.number(), 0, "x"};
    case 3:
      return LinesFound{{protocol::StepLine{{"stdout.log"}, feed.number(), {feed.text(40)}},
                         protocol::EventLine{{"stdout.log"}, feed.number(), {feed.text(40)}}}};
    case 4:
      return Noticed{message("a.b", "what")};
    case 5:
      return ProgramExited{};
    case 6:
      return TreeEnded{static_cast<std::int32_t>(feed.byte())};
    case 7:
      return OutputDrained{{}, feed.number(), feed.text(20)};
    case 8:
      return CancelAsked{};
    case 9:
      return CoordinatorSeen{feed.number()};
    case 10:
      return CoordinatorGone{feed.byte() % 2 == 0};
    case 11:
      return Acknowledged{feed.number()};
    case 12:
      return ReleaseAsked{};
    case 13:
      return PlogOverflowed{};
    default:
      return Tick{};
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const mstune::fuzz::Stopwatch stopwatch;
  fuzz::Feed feed(data, size);
  JobSettings settings;
  settings.timeout = std::chrono::seconds(feed.byte() % 8);
  settings.reconnect_grace = std::chrono::seconds(feed.byte() % 8);
  Job job(settings);
  Watch watch;
  TimePoint now{std::chrono::hours(1)};
  while (!feed.empty() && !job.finished()) {
    now += std::chrono::milliseconds(100 * feed.number() % 100000);
    if (feed.byte() % 8 == 0) {
      watch.see(job.begin(now));
    } else {
      watch.see(job.handle(event_of(feed), now));
    }
    check(job.told_state() != protocol::TrialState::lost);
  }
  return 0;
}
