#include <algorithm>

#include <doctest/doctest.h>

#include "coordinator/dispatcher.h"

namespace mstune::coordinator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Actions = std::vector<CampaignAction>;

const TimePoint kStart{std::chrono::hours(1)};
// --timeout 100 s, 30 s to end it, --reconnect-grace 60 s.
constexpr seconds kLimit{190};
constexpr seconds kStall{1800};

CampaignSettings settings_with(Duration timeout, std::size_t agents = 1) {
  CampaignSettings settings;
  settings.candidates = candidates_of_list("LoadBalance:4");
  settings.trials = trials_in_rounds(settings.candidates, 1);
  settings.trial_timeout = timeout;
  settings.agents = agents;
  return settings;
}

template <typename T>
std::vector<T> all(const Actions& actions) {
  std::vector<T> found;
  for (const CampaignAction& action : actions) {
    if (const T* one = std::get_if<T>(&action)) {
      found.push_back(*one);
    }
  }
  return found;
}

// The attempt that an agent which has just answered is given.
Attempt first_attempt(Dispatcher& dispatcher) {
  const auto assigned = all<AssignAttempt>(dispatcher.handle(AgentReady{0, "a"}, kStart));
  REQUIRE(assigned.size() == 1);
  return assigned.front().attempt;
}

bool loses(const Actions& actions, const Attempt& attempt) {
  const auto cancelled = all<CancelAttempt>(actions);
  const auto discarded = all<DiscardAttempt>(actions);
  return cancelled.size() == 1 && cancelled.front().attempt == attempt && discarded.size() == 1 &&
         discarded.front().attempt == attempt && discarded.front().why.id == "trial.no_end";
}

// It still answers, and says the same as ever.
void see(Dispatcher& dispatcher, const Attempt& attempt, TimePoint now) {
  CHECK(all<DiscardAttempt>(dispatcher.handle(AttemptSeen{attempt, false, false}, now)).empty());
}

TEST_CASE("limits: a trial whose end is never told is lost at its own limit, from running on") {
  Dispatcher dispatcher(settings_with(seconds(100)), kStart);
  const Attempt attempt = first_attempt(dispatcher);
  const TimePoint running = kStart + seconds(5);
  dispatcher.handle(AttemptSeen{attempt}, running);
  dispatcher.handle(AttemptSeen{attempt}, running + kLimit - seconds(1));  // however it changes
  CHECK(dispatcher.deadline() <= running + kLimit);
  CHECK(all<DiscardAttempt>(dispatcher.handle(Tick{}, running + kLimit - milliseconds(1))).empty());
  const Actions over = dispatcher.handle(Tick{}, running + kLimit);
  CHECK(loses(over, attempt));
  CHECK(all<AssignAttempt>(over).front().attempt == Attempt{0, 0, 2});
}

TEST_CASE("limits: a device on which no end is ever told is given up after the retries") {
  Dispatcher dispatcher(settings_with(seconds(100)), kStart);
  Attempt attempt = first_attempt(dispatcher);
  TimePoint now = kStart;
  for (std::uint32_t number = 1; number <= 3; ++number) {
    CHECK(attempt == Attempt{0, 0, number});
    // The later ones wait behind the first for ever.
    dispatcher.handle(AttemptSeen{attempt, number > 1, true}, now);
    dispatcher.handle(AttemptSeen{attempt, number > 1, true}, now + seconds(100));
    now += kLimit;
    const Actions over = dispatcher.handle(Tick{}, now);
    CHECK(loses(over, attempt));
    if (number < 3) {
      attempt = all<AssignAttempt>(over).front().attempt;
    } else {
      CHECK(all<GiveUpDevice>(over).size() == 1);
      CHECK(all<Finish>(over).front().why.id == "campaign.no_device_left");
    }
  }
}

TEST_CASE("limits: waiting for a device is not running") {
  Dispatcher dispatcher(settings_with(seconds(100)), kStart);
  const Attempt attempt = first_attempt(dispatcher);
  TimePoint now = kStart;
  for (int i = 0; i < 1000; ++i) {
    CHECK(all<DiscardAttempt>(dispatcher.handle(AttemptSeen{attempt, true, false}, now)).empty());
    now += seconds(6);
  }
}

TEST_CASE("limits: without a timeout a trial may take as long as anything of it changes") {
  Dispatcher dispatcher(settings_with(Duration::zero()), kStart);
  const Attempt attempt = first_attempt(dispatcher);
  TimePoint changed = kStart;
  for (int i = 0; i < 5; ++i) {
    dispatcher.handle(AttemptSeen{attempt}, changed);
    changed += kStall - seconds(1);
  }
  dispatcher.handle(AttemptSeen{attempt}, changed);
  see(dispatcher, attempt, changed + kStall - milliseconds(1));
  CHECK(loses(dispatcher.handle(AttemptSeen{attempt, false, false}, changed + kStall), attempt));
}

TEST_CASE("limits: none is none") {
  CampaignSettings settings = settings_with(Duration::zero());
  settings.stall_timeout = Duration::zero();
  Dispatcher dispatcher(settings, kStart);
  const Attempt attempt = first_attempt(dispatcher);
  see(dispatcher, attempt, kStart);
  see(dispatcher, attempt, kStart + std::chrono::hours(1000));
}

TEST_CASE("limits: files that do not come are waited for as long as a trial without a timeout") {
  Dispatcher dispatcher(settings_with(seconds(100)), kStart);
  const Attempt attempt = first_attempt(dispatcher);
  dispatcher.handle(AttemptSeen{attempt}, kStart);
  const TimePoint exited = kStart + seconds(50);
  CHECK(all<CollectAttempt>(dispatcher.handle(AttemptExited{attempt}, exited)).size() == 1);
  see(dispatcher, attempt, exited + kLimit);
  CHECK(all<DiscardAttempt>(dispatcher.handle(AttemptSeen{attempt}, exited + kLimit)).empty());
  see(dispatcher, attempt, exited + kLimit + kStall - milliseconds(1));
  CHECK(loses(dispatcher.handle(Tick{}, exited + kLimit + kStall), attempt));
}

TEST_CASE("limits: while an agent is away only its absence counts, and then it may tell the end") {
  Dispatcher dispatcher(settings_with(seconds(100)), kStart);
  const Attempt attempt = first_attempt(dispatcher);
  dispatcher.handle(AttemptSeen{attempt}, kStart);
  const TimePoint gone = kStart + kLimit - seconds(10);
  dispatcher.handle(AgentGone{0}, gone);
  CHECK(all<DiscardAttempt>(dispatcher.handle(Tick{}, gone + seconds(59))).empty());
  CHECK(all<DiscardAttempt>(dispatcher.handle(AgentReady{0, "a"}, gone + seconds(59))).empty());
  CHECK(all<CollectAttempt>(dispatcher.handle(AttemptExited{attempt}, gone + seconds(60))).size() ==
        1);
}

TEST_CASE("limits: in a fleet another device takes the round") {
  Dispatcher dispatcher(settings_with(seconds(100), 2), kStart);
  dispatcher.handle(AgentReady{0, "a"}, kStart);
  const Attempt attempt =
      all<AssignAttempt>(dispatcher.handle(AgentReady{1, "b"}, kStart)).front().attempt;
  dispatcher.handle(AttemptSeen{attempt}, kStart);
  const auto elsewhere = all<AssignAttempt>(dispatcher.handle(Tick{}, kStart + kLimit));
  REQUIRE(elsewhere.size() == 1);
  CHECK(elsewhere.front().attempt.agent == 1 - attempt.agent);
}

TEST_CASE(
    "limits: an agent that cannot be reached yet is waited for until the grace time is over") {
  Dispatcher dispatcher(settings_with(seconds(100)), kStart);
  const Message why = message("connection.not_behind", "the agent is not reachable behind there");
  const Actions told = dispatcher.handle(AgentUnreachable{0, why}, kStart + seconds(2));
  CHECK(all<Tell>(told).front().what.id == "campaign.not_reached_yet");
  CHECK(dispatcher.handle(Tick{}, kStart + milliseconds(61'999)).empty());
  SUBCASE("then it is said why") {
    const auto finish = all<Finish>(dispatcher.handle(Tick{}, kStart + seconds(62)));
    REQUIRE(finish.size() == 1);
    CHECK(finish.front().why.id == "campaign.not_reached");
    CHECK(finish.front().why.text.find("behind there") != std::string::npos);
  }
  SUBCASE("and may come until then") {
    CHECK(all<AssignAttempt>(dispatcher.handle(AgentReady{0, "a"}, kStart + milliseconds(61'999)))
              .size() == 1);
  }
}

}  // namespace
}  // namespace mstune::coordinator
