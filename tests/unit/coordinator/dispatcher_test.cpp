#include "coordinator/dispatcher.h"

#include <algorithm>

#include <doctest/doctest.h>

namespace mstune::coordinator {
namespace {

using std::chrono::seconds;
using Actions = std::vector<CampaignAction>;

const TimePoint kStart{std::chrono::hours(1)};

CampaignSettings online_settings(int repeat = 1) {
  CampaignSettings settings;
  settings.candidates = candidates_of_list("LoadBalance:4");
  settings.trials = trials_in_rounds(settings.candidates, repeat);
  return settings;
}

CampaignSettings offline_settings() {
  CampaignSettings settings = online_settings();
  settings.offline = true;
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

template <typename T>
T only(const Actions& actions) {
  const auto found = all<T>(actions);
  REQUIRE(found.size() == 1);
  return found.front();
}

template <typename T>
std::ptrdiff_t place_of(const Actions& actions) {
  return std::find_if(
             actions.begin(), actions.end(),
             [](const CampaignAction& action) { return std::holds_alternative<T>(action); }) -
         actions.begin();
}

// Runs the assigned attempt to its end and returns what comes next.
Actions run(Dispatcher& dispatcher, const Attempt& attempt, TimePoint now) {
  dispatcher.handle(AttemptSeen{attempt}, now);
  const Attempt collected =
      only<CollectAttempt>(dispatcher.handle(AttemptExited{attempt}, now)).attempt;
  CHECK(collected == attempt);
  return dispatcher.handle(AttemptRecorded{attempt}, now);
}

TEST_CASE("dispatcher: runs each trial once, one after the other, and finishes") {
  Dispatcher dispatcher(online_settings(2), kStart);
  Actions actions = dispatcher.handle(AgentReady{0, "a"}, kStart);
  for (std::uint32_t trial = 0; trial < 4; ++trial) {
    const Attempt attempt = only<AssignAttempt>(actions).attempt;
    CHECK(attempt == Attempt{0, trial, 1});
    actions = run(dispatcher, attempt, kStart);
    CHECK(only<ReleaseAttempt>(actions).attempt == attempt);
  }
  CHECK(only<Finish>(actions).ending == Ending::complete);
  CHECK(dispatcher.finished());
  CHECK(dispatcher.deadline() == kNever);
}

TEST_CASE("dispatcher: a trial that somebody else disturbed is run again, as often as is allowed") {
  CampaignSettings settings = online_settings();
  settings.attempts_max = 2;
  Dispatcher dispatcher(settings, kStart);
  dispatcher.handle(AgentReady{0, "a"}, kStart);
  const Message why = message("trial.foreign_process", "process 7 (python) came");
  const Attempt first{0, 0, 1};
  dispatcher.handle(AttemptSeen{first}, kStart);
  const Actions again =
      dispatcher.handle(AttemptExited{first, true, Trouble::disturbed, why}, kStart);
  CHECK(only<ReleaseAttempt>(again).attempt == first);
  CHECK(only<DiscardAttempt>(again).why.id == why.id);
  // What is released is forgotten: its files are put aside before.
  CHECK(place_of<DiscardAttempt>(again) < place_of<ReleaseAttempt>(again));
  CHECK(all<CollectAttempt>(again).empty());
  const Attempt second = only<AssignAttempt>(again).attempt;
  CHECK(second == Attempt{0, 0, 2});
  dispatcher.handle(AttemptSeen{second}, kStart);
  const Actions over =
      dispatcher.handle(AttemptExited{second, true, Trouble::disturbed, why}, kStart);
  CHECK(only<RecordVoid>(over).code == "foreign_process");
  CHECK(only<AssignAttempt>(over).attempt == Attempt{0, 1, 1});
}

TEST_CASE("dispatcher: an open campaign asks for more when all is done, until there is no more") {
  CampaignSettings settings = online_settings();
  settings.open_ended = true;
  Dispatcher dispatcher(settings, kStart);
  Actions actions = dispatcher.handle(AgentReady{0, "a"}, kStart);
  for (std::uint32_t trial = 0; trial < 2; ++trial) {
    CHECK(all<NeedMore>(actions).empty());
    actions = run(dispatcher, Attempt{0, trial, 1}, kStart);
  }
  CHECK(all<NeedMore>(actions).size() == 1);
  CHECK(dispatcher.handle(Tick{}, kStart + seconds(1)).empty());
  const TrialsAdded more{{}, {{2, kDefaultCandidate, 2}}};
  CHECK(only<AssignAttempt>(dispatcher.handle(more, kStart)).attempt == Attempt{0, 2, 1});
  CHECK(dispatcher.handle(more, kStart).empty());  // nobody asked for it
  CHECK(all<NeedMore>(run(dispatcher, Attempt{0, 2, 1}, kStart)).size() == 1);
  CHECK(only<Finish>(dispatcher.handle(TrialsAdded{}, kStart)).ending == Ending::complete);
}

TEST_CASE("dispatcher: a candidate that is added offline is built and uploaded before it runs") {
  CampaignSettings settings = offline_settings();
  settings.open_ended = true;
  Dispatcher dispatcher(settings, kStart);
  dispatcher.handle(AgentReady{0, "a"}, kStart);
  for (std::size_t candidate = 0; candidate < 2; ++candidate) {
    dispatcher.handle(Built{candidate}, kStart);
    dispatcher.handle(Uploaded{0, candidate}, kStart);
  }
  run(dispatcher, Attempt{0, 0, 1}, kStart);
  CHECK(all<NeedMore>(run(dispatcher, Attempt{0, 1, 1}, kStart)).size() == 1);
  const Candidate added = parse_candidate("LoadBalance:5");
  const Actions actions = dispatcher.handle(TrialsAdded{{added}, {{2, added, 2}}}, kStart);
  CHECK(only<StartBuild>(actions).candidate == 2);
  CHECK(all<AssignAttempt>(actions).empty());
  CHECK(only<StartUpload>(dispatcher.handle(Built{2}, kStart)).candidate == 2);
  CHECK(only<AssignAttempt>(dispatcher.handle(Uploaded{0, 2}, kStart)).attempt == Attempt{0, 2, 1});
}

TEST_CASE("dispatcher: an upload that broke is tried again, as often as a trial is") {
  CampaignSettings settings = offline_settings();
  settings.attempts_max = 3;
  Dispatcher dispatcher(settings, kStart);
  dispatcher.handle(AgentReady{0, "a"}, kStart);
  dispatcher.handle(Built{0}, kStart);
  const UploadFailed broken{0, 0, message("test.broken", "broken"), true};
  for (int again = 0; again < 2; ++again) {
    CHECK(only<StartUpload>(dispatcher.handle(broken, kStart)).candidate == 0);
  }
  CHECK(only<Finish>(dispatcher.handle(broken, kStart)).why.id == "test.broken");

  Dispatcher other(settings, kStart);
  other.handle(AgentReady{0, "a"}, kStart);
  other.handle(Built{0}, kStart);
  const UploadFailed refused{0, 0, message("test.full", "no space"), false};
  CHECK(only<Finish>(other.handle(refused, kStart)).why.id == "test.full");
}

TEST_CASE("dispatcher: an interrupt while more is asked for ends the campaign") {
  CampaignSettings settings = online_settings();
  settings.trials.clear();
  settings.open_ended = true;
  Dispatcher dispatcher(settings, kStart);
  CHECK(all<NeedMore>(dispatcher.handle(AgentReady{0, "a"}, kStart)).size() == 1);
  CHECK(only<Finish>(dispatcher.handle(InterruptAsked{}, kStart)).ending == Ending::interrupted);
}

TEST_CASE("dispatcher: an unanswered assignment is sent again at its deadline") {
  Dispatcher dispatcher(online_settings(), kStart);
  const Attempt attempt =
      only<AssignAttempt>(dispatcher.handle(AgentReady{0, "a"}, kStart)).attempt;
  CHECK(dispatcher.deadline() == kStart + seconds(2));
  CHECK(dispatcher.handle(Tick{}, kStart + seconds(1)).empty());
  CHECK(only<AssignAttempt>(dispatcher.handle(Tick{}, kStart + seconds(2))).attempt == attempt);
}

TEST_CASE("dispatcher: an attempt of which nothing is heard any more is assigned again") {
  Dispatcher dispatcher(online_settings(), kStart);
  const Attempt attempt =
      only<AssignAttempt>(dispatcher.handle(AgentReady{0, "a"}, kStart)).attempt;
  dispatcher.handle(AttemptSeen{attempt}, kStart + seconds(1));
  dispatcher.handle(AttemptSeen{attempt}, kStart + seconds(3));
  CHECK(dispatcher.handle(Tick{}, kStart + seconds(8)).empty());
  CHECK(dispatcher.deadline() == kStart + seconds(9));
  CHECK(only<AssignAttempt>(dispatcher.handle(Tick{}, kStart + seconds(9))).attempt == attempt);
  // While its files are fetched, too; then no more.
  dispatcher.handle(AttemptExited{attempt, true}, kStart + seconds(10));
  CHECK(only<AssignAttempt>(dispatcher.handle(Tick{}, kStart + seconds(16))).attempt == attempt);
  dispatcher.handle(InterruptAsked{}, kStart + seconds(17));
  dispatcher.handle(AttemptSeen{attempt}, kStart + seconds(18));
  CHECK(dispatcher.handle(Tick{}, kStart + seconds(25)).empty());
}

TEST_CASE("dispatcher: an attempt that nobody waits for is ended, and released when it has ended") {
  Dispatcher dispatcher(online_settings(), kStart);
  const Attempt attempt =
      only<AssignAttempt>(dispatcher.handle(AgentReady{0, "a"}, kStart)).attempt;
  CHECK(dispatcher.handle(StrayReported{attempt, true}, kStart).empty());
  const Attempt old{0, 3, 1};
  CHECK(only<CancelAttempt>(dispatcher.handle(StrayReported{old, false}, kStart)).attempt == old);
  CHECK(only<ReleaseAttempt>(dispatcher.handle(StrayReported{old, true}, kStart)).attempt == old);
}

TEST_CASE("dispatcher: what an earlier session finished is neither run nor built again") {
  CampaignSettings settings = online_settings(2);
  settings.offline = true;
  for (const Trial& trial : settings.trials) {
    if (trial.candidate == settings.candidates[1] || trial.index == 0) {
      settings.finished[trial.index] = {trial};
    }
  }
  settings.attempts_before = {{2, 5}};
  settings.open_ended = true;
  Dispatcher dispatcher(settings, kStart);
  CHECK(only<StartBuild>(dispatcher.handle(AgentReady{0, "a"}, kStart)).candidate == 0);
  dispatcher.handle(Built{0}, kStart);
  Actions actions = dispatcher.handle(Uploaded{0, 0}, kStart);
  const Attempt attempt = only<AssignAttempt>(actions).attempt;
  CHECK(attempt == Attempt{0, 2, 6});
  CHECK(all<NeedMore>(run(dispatcher, attempt, kStart)).size() == 1);
  // A candidate that was left out is built when new trials want it.
  actions = dispatcher.handle(TrialsAdded{{}, {{4, settings.candidates[1], 3}}}, kStart);
  CHECK(only<StartBuild>(actions).candidate == 1);
}

TEST_CASE("dispatcher: a pipeline runs what is there while the rest is built") {
  CampaignSettings settings = offline_settings();
  settings.pipeline = true;
  settings.machine = "build host";
  Dispatcher dispatcher(settings, kStart);
  dispatcher.handle(AgentReady{0, "a", 1, "box"}, kStart);
  CHECK(all<AssignAttempt>(dispatcher.handle(Built{0}, kStart)).empty());
  const Attempt attempt = only<AssignAttempt>(dispatcher.handle(Uploaded{0, 0}, kStart)).attempt;
  CHECK(dispatcher.trial(attempt.trial).candidate == settings.candidates[0]);
  // What is built meanwhile is not sent to a box that measures.
  CHECK(all<StartUpload>(dispatcher.handle(Built{1}, kStart)).empty());
  CHECK(only<StartUpload>(run(dispatcher, attempt, kStart)).candidate == 1);
}

TEST_CASE(
    "dispatcher: what is built and sent waits for the machine's turn; what has begun goes on") {
  Dispatcher dispatcher(offline_settings(), kStart);
  dispatcher.handle(TurnChanged{false}, kStart);
  CHECK(all<StartBuild>(dispatcher.handle(AgentReady{0, "a"}, kStart)).empty());
  CHECK(dispatcher.moves().wanted);
  CHECK_FALSE(dispatcher.moves().under_way);
  CHECK(only<StartBuild>(dispatcher.handle(TurnChanged{true}, kStart)).candidate == 0);
  CHECK(dispatcher.moves().under_way);
  CHECK(dispatcher.handle(TurnChanged{false}, kStart).empty());
  CHECK(dispatcher.handle(Built{0}, kStart).empty());
  CHECK_FALSE(dispatcher.moves().under_way);
  const Actions begun = dispatcher.handle(TurnChanged{true}, kStart);
  CHECK(only<StartBuild>(begun).candidate == 1);
  CHECK(only<StartUpload>(begun).candidate == 0);
  dispatcher.handle(Built{1}, kStart);
  dispatcher.handle(TurnChanged{false}, kStart);
  dispatcher.handle(Uploaded{0, 0}, kStart);
  CHECK(dispatcher.moves().under_way);
  CHECK(all<AssignAttempt>(dispatcher.handle(Uploaded{0, 1}, kStart)).size() == 1);
  CHECK_FALSE(dispatcher.moves().wanted);
  CHECK_FALSE(dispatcher.moves().under_way);
}

TEST_CASE("dispatcher: a build that an interrupt ends has not failed") {
  CampaignSettings settings = offline_settings();
  settings.keep_going = true;
  settings.pipeline = true;
  Dispatcher dispatcher(settings, kStart);
  dispatcher.handle(AgentReady{0, "a"}, kStart);
  dispatcher.handle(Built{0}, kStart);
  CHECK(all<AssignAttempt>(dispatcher.handle(Uploaded{0, 0}, kStart)).size() == 1);
  CHECK(dispatcher.moves().under_way);  // the second one is being built
  const Actions interrupted = dispatcher.handle(InterruptAsked{}, kStart);
  CHECK(all<StopBuilds>(interrupted).size() == 1);
  const Actions ended =
      dispatcher.handle(BuildFailed{1, message("build.failed", "killed by SIGTERM")}, kStart);
  CHECK(all<RecordVoid>(ended).empty());
  CHECK(all<Finish>(ended).empty());
  CHECK_FALSE(dispatcher.moves().under_way);  // nor is the machine's turn kept for it
  const Actions over = dispatcher.handle(AttemptExited{{0, 0, 1}}, kStart);
  CHECK(only<Finish>(over).ending == Ending::interrupted);
}

TEST_CASE("dispatcher: an upload to an agent that is away takes no turn of the machine") {
  Dispatcher dispatcher(offline_settings(), kStart);
  dispatcher.handle(AgentReady{0, "a"}, kStart);
  dispatcher.handle(Built{0}, kStart);
  dispatcher.handle(Built{1}, kStart);
  CHECK(dispatcher.moves().under_way);
  dispatcher.handle(AgentGone{0}, kStart);
  CHECK_FALSE(dispatcher.moves().wanted);
  dispatcher.handle(AgentReady{0, "a"}, kStart);
  CHECK(dispatcher.moves().under_way);
}

TEST_CASE("dispatcher: where the machine is shared, a pipeline builds and measures in turn") {
  CampaignSettings settings = offline_settings();
  settings.pipeline = true;
  settings.machine = "box";
  Dispatcher dispatcher(settings, kStart);
  CHECK(only<StartBuild>(dispatcher.handle(AgentReady{0, "a", 1, "box"}, kStart)).candidate == 0);
  CHECK(only<StartBuild>(dispatcher.handle(Built{0}, kStart)).candidate == 1);
  CHECK(all<AssignAttempt>(dispatcher.handle(Uploaded{0, 0}, kStart)).empty());
  dispatcher.handle(Built{1}, kStart);
  CHECK(all<AssignAttempt>(dispatcher.handle(Uploaded{0, 1}, kStart)).size() == 1);
}

TEST_CASE("dispatcher: an agent that never answers fails the campaign at its deadline") {
  Dispatcher dispatcher(online_settings(), kStart);
  CHECK(dispatcher.deadline() == kStart + seconds(15));
  CHECK(dispatcher.handle(Tick{}, kStart + seconds(14)).empty());
  const Finish finish = only<Finish>(dispatcher.handle(Tick{}, kStart + seconds(15)));
  CHECK(finish.ending == Ending::failed);
  CHECK(finish.why.id == "campaign.no_agent");
}

TEST_CASE("dispatcher: a connection that is lost for less than the grace time costs nothing") {
  Dispatcher dispatcher(online_settings(), kStart);
  const Attempt attempt =
      only<AssignAttempt>(dispatcher.handle(AgentReady{0, "a"}, kStart)).attempt;
  dispatcher.handle(AttemptSeen{attempt}, kStart);
  CHECK(all<Tell>(dispatcher.handle(AgentGone{0}, kStart)).size() == 1);
  CHECK(dispatcher.handle(Tick{}, kStart + seconds(59)).empty());
  const Actions back = dispatcher.handle(AgentReady{0, "a"}, kStart + seconds(59));
  CHECK(only<AssignAttempt>(back).attempt == attempt);
  CHECK(all<DiscardAttempt>(back).empty());
}

TEST_CASE("dispatcher: after the grace time the attempt is lost and runs again on return") {
  Dispatcher dispatcher(online_settings(), kStart);
  const Attempt attempt =
      only<AssignAttempt>(dispatcher.handle(AgentReady{0, "a"}, kStart)).attempt;
  dispatcher.handle(AttemptSeen{attempt}, kStart);
  dispatcher.handle(AgentGone{0}, kStart);
  const Actions lost = dispatcher.handle(Tick{}, kStart + seconds(60));
  CHECK(only<DiscardAttempt>(lost).attempt == attempt);
  CHECK(all<AssignAttempt>(lost).empty());
  const Actions back = dispatcher.handle(AgentReady{0, "a"}, kStart + seconds(90));
  CHECK(only<AssignAttempt>(back).attempt == Attempt{0, 0, 2});
  // What the first attempt still says is not about this one.
  CHECK(dispatcher.handle(AttemptExited{attempt}, kStart + seconds(91)).empty());
}

TEST_CASE("dispatcher: a restarted agent has lost its trial at once") {
  Dispatcher dispatcher(online_settings(), kStart);
  dispatcher.handle(AgentReady{0, "a"}, kStart);
  const Actions back = dispatcher.handle(AgentReady{0, "b"}, kStart + seconds(1));
  CHECK(only<DiscardAttempt>(back).attempt == Attempt{0, 0, 1});
  CHECK(only<AssignAttempt>(back).attempt == Attempt{0, 0, 2});
}

TEST_CASE("dispatcher: attempts are bounded, and the trial is void with the agent's name for it") {
  Dispatcher dispatcher(online_settings(), kStart);
  Actions actions = dispatcher.handle(AgentReady{0, "a"}, kStart);
  for (std::uint32_t number = 1; number <= 3; ++number) {
    CHECK(only<AssignAttempt>(actions).attempt == Attempt{0, 0, number});
    actions = dispatcher.handle(AttemptLost{{0, 0, number}}, kStart);
  }
  CHECK(only<RecordVoid>(actions).code == "agent_lost");
  CHECK(only<AssignAttempt>(actions).attempt == Attempt{0, 1, 1});
}

TEST_CASE("dispatcher: an agent that does not come back ends the campaign with what is there") {
  Dispatcher dispatcher(online_settings(), kStart);
  dispatcher.handle(AgentReady{0, "a"}, kStart);
  dispatcher.handle(AgentGone{0}, kStart);
  dispatcher.handle(Tick{}, kStart + seconds(60));
  CHECK(all<Finish>(dispatcher.handle(Tick{}, kStart + seconds(1859))).empty());
  const Finish finish = only<Finish>(dispatcher.handle(Tick{}, kStart + seconds(1860)));
  CHECK(finish.why.id == "campaign.agents_gone");
}

TEST_CASE("dispatcher: offline builds one by one, uploads each, and measures when all are there") {
  Dispatcher dispatcher(offline_settings(), kStart);
  Actions actions = dispatcher.handle(AgentReady{0, "a"}, kStart);
  CHECK(only<StartBuild>(actions).candidate == 0);
  actions = dispatcher.handle(Built{0}, kStart);
  CHECK(only<StartBuild>(actions).candidate == 1);
  CHECK(only<StartUpload>(actions).candidate == 0);
  CHECK(dispatcher.handle(Uploaded{0, 0}, kStart).empty());
  CHECK(only<StartUpload>(dispatcher.handle(Built{1}, kStart)).candidate == 1);
  CHECK(only<AssignAttempt>(dispatcher.handle(Uploaded{0, 1}, kStart)).attempt == Attempt{0, 0, 1});
}

TEST_CASE("dispatcher: nothing is built before the agent has answered") {
  Dispatcher dispatcher(offline_settings(), kStart);
  CHECK(dispatcher.handle(Tick{}, kStart).empty());
}

TEST_CASE("dispatcher: a failing build stops the campaign at once") {
  Dispatcher dispatcher(offline_settings(), kStart);
  dispatcher.handle(AgentReady{0, "a"}, kStart);
  dispatcher.handle(Built{0}, kStart);
  const Actions actions = dispatcher.handle(BuildFailed{1, message("x.y", "no")}, kStart);
  CHECK(all<StopBuilds>(actions).size() == 1);
  CHECK(only<Finish>(actions).ending == Ending::failed);
}

TEST_CASE("dispatcher: --keep-going voids the candidate, but never goes on without default") {
  CampaignSettings settings = offline_settings();
  settings.keep_going = true;
  SUBCASE("another candidate") {
    Dispatcher dispatcher(settings, kStart);
    dispatcher.handle(AgentReady{0, "a"}, kStart);
    dispatcher.handle(Built{0}, kStart);
    CHECK(only<RecordVoid>(dispatcher.handle(BuildFailed{1, message("x.y", "no")}, kStart)).trial ==
          1);
    const Actions actions = dispatcher.handle(Uploaded{0, 0}, kStart);
    const Actions last = run(dispatcher, only<AssignAttempt>(actions).attempt, kStart);
    CHECK(only<Finish>(last).ending == Ending::complete);
  }
  SUBCASE("default") {
    Dispatcher dispatcher(settings, kStart);
    dispatcher.handle(AgentReady{0, "a"}, kStart);
    const Actions actions = dispatcher.handle(BuildFailed{0, message("x.y", "no")}, kStart);
    CHECK(only<Finish>(actions).ending == Ending::failed);
  }
}

TEST_CASE("dispatcher: an interrupt cancels what runs, keeps what is being collected, and ends") {
  SUBCASE("running") {
    Dispatcher dispatcher(online_settings(), kStart);
    const Attempt attempt =
        only<AssignAttempt>(dispatcher.handle(AgentReady{0, "a"}, kStart)).attempt;
    CHECK(only<CancelAttempt>(dispatcher.handle(InterruptAsked{}, kStart)).attempt == attempt);
    const Actions actions = dispatcher.handle(AttemptExited{attempt}, kStart);
    CHECK(only<DiscardAttempt>(actions).attempt == attempt);
    CHECK(only<Finish>(actions).ending == Ending::interrupted);
  }
  SUBCASE("collecting") {
    Dispatcher dispatcher(online_settings(), kStart);
    const Attempt attempt =
        only<AssignAttempt>(dispatcher.handle(AgentReady{0, "a"}, kStart)).attempt;
    dispatcher.handle(AttemptExited{attempt}, kStart);
    CHECK(all<CancelAttempt>(dispatcher.handle(InterruptAsked{}, kStart)).empty());
    const Actions actions = dispatcher.handle(AttemptRecorded{attempt}, kStart);
    CHECK(only<Finish>(actions).ending == Ending::interrupted);
  }
  SUBCASE("an agent that does not confirm") {
    Dispatcher dispatcher(online_settings(), kStart);
    dispatcher.handle(AgentReady{0, "a"}, kStart);
    dispatcher.handle(InterruptAsked{}, kStart);
    CHECK(dispatcher.deadline() == kStart + seconds(20));
    CHECK(dispatcher.handle(Tick{}, kStart + seconds(19)).empty());
    CHECK(only<Finish>(dispatcher.handle(Tick{}, kStart + seconds(20))).ending ==
          Ending::interrupted);
  }
}

}  // namespace
}  // namespace mstune::coordinator
