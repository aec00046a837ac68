// Any sequence of events into the coordinator's machine: every trial is recorded at most once, two
// attempts are never on one agent, nothing is asked for after the end, and left alone it ends.
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <variant>

#include "coordinator/dispatcher.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/feed.h"
#include "tests/fuzz/stopwatch.h"

namespace {

using namespace mstune;
using namespace mstune::coordinator;
using mstune::fuzz::check;

class Watch {
 public:
  // Answers nothing; remembers what was asked for after this event.
  void see(const CampaignEvent& event, const std::vector<CampaignAction>& actions) {
    for (const CampaignAction& action : actions) {
      check(!finished_);
      if (const auto* assign = std::get_if<AssignAttempt>(&action)) {
        check(!done_.contains(assign->attempt.trial));
        last_ = assign->attempt;
      } else if (const auto* unrun = std::get_if<RecordVoid>(&action)) {
        check(done_.insert(unrun->trial).second);
      } else if (const auto* collect = std::get_if<CollectAttempt>(&action)) {
        check(!done_.contains(collect->attempt.trial));
        last_ = collect->attempt;
      } else if (std::holds_alternative<ReleaseAttempt>(action)) {
        if (const auto* recorded = std::get_if<AttemptRecorded>(&event)) {
          check(done_.insert(recorded->attempt.trial).second);
        }
      }
      finished_ = std::holds_alternative<Finish>(action);
    }
  }

  [[nodiscard]] bool finished() const { return finished_; }
  // What the next event is about: the last attempt that was asked for, mostly.
  [[nodiscard]] Attempt last() const { return last_; }

 private:
  std::set<std::uint32_t> done_;
  Attempt last_;
  bool finished_ = false;
};

CampaignEvent event_of(fuzz::Feed& feed, const Watch& watch, std::size_t candidates) {
  Attempt attempt = watch.last();
  const std::uint8_t choice = feed.byte();
  if (choice >= 0xc0) {  // one that is over, or never was
    attempt.trial = static_cast<std::uint32_t>(feed.number());
    attempt.number = static_cast<std::uint32_t>(feed.number());
  }
  const std::size_t candidate = feed.byte() % candidates;
  switch (choice % 14) {
    case 0:
    case 1:
      return AgentReady{0, std::string(1, static_cast<char>('a' + feed.byte() % 3))};
    case 2:
      return AgentGone{0};
    case 3:
      return AgentRefused{0, message("a.b", "why")};
    case 4:
      return Built{candidate};
    case 5:
      return BuildFailed{candidate, message("a.b", "why")};
    case 6:
      return Uploaded{0, candidate};
    case 7:
      return UploadFailed{0, candidate, message("a.b", "why")};
    case 8:
      return AttemptSeen{attempt};
    case 9:
      return AttemptExited{attempt, feed.byte() % 4 != 0};
    case 10:
      return AttemptLost{attempt};
    case 11:
      return AttemptRecorded{attempt};
    case 12:
      return feed.byte() % 4 == 0 ? CampaignEvent(InterruptAsked{})
                                  : CampaignEvent(StrayReported{attempt, feed.byte() % 2 == 0});
    default:
      return Tick{};
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const mstune::fuzz::Stopwatch stopwatch;
  fuzz::Feed feed(data, size);
  CampaignSettings settings;
  settings.candidates = candidates_of_list("LoadBalance:4,MainStream:2");
  settings.trials = trials_in_rounds(settings.candidates, 1 + feed.byte() % 3);
  settings.offline = feed.byte() % 2 == 0;
  settings.keep_going = feed.byte() % 2 == 0;
  TimePoint now{std::chrono::hours(1)};
  Dispatcher dispatcher(settings, now);
  Watch watch;
  while (!feed.empty() && !dispatcher.finished()) {
    now += std::chrono::milliseconds(100 * feed.number() % 1000000);
    const CampaignEvent event = event_of(feed, watch, settings.candidates.size());
    watch.see(event, dispatcher.handle(event, now));
    check(watch.finished() == dispatcher.finished());
  }
  if (!dispatcher.finished()) {
    // An interrupt ends it whatever does not answer any more.
    watch.see(InterruptAsked{}, dispatcher.handle(InterruptAsked{}, now));
    for (int tick = 0; tick < 1000 && !dispatcher.finished(); ++tick) {
      now = std::max(now, std::min(dispatcher.deadline(), now + std::chrono::hours(1)));
      watch.see(Tick{}, dispatcher.handle(Tick{}, now));
    }
    check(dispatcher.finished());
  }
  return 0;
}
