#include "agent/desk.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <doctest/doctest.h>

namespace mstune::agent {
namespace {

using std::chrono::seconds;

const TimePoint kStart{std::chrono::hours(1)};

// A desk, and peers who talk to it.
class Hall {
 public:
  explicit Hall(const Policy& policy = {}, std::function<bool()> may_measure = {})
      : desk_(options(policy, std::move(may_measure))) {}
  explicit Hall(desk::Options options) : desk_(std::move(options)) {}

  std::vector<desk::Action> says(const std::string& peer, const std::string& client,
                                 const protocol::Request& request, TimePoint now = kStart) {
    return desk_.handle(desk::MessageArrived{peer, client, protocol::pack(request)}, now);
  }

  std::vector<desk::Action> greets(const std::string& peer, const std::string& client,
                                   const std::string& campaign, TimePoint now = kStart) {
    protocol::Hello hello;
    hello.campaign = campaign;
    return says(peer, client, hello, now);
  }

  Desk& desk() { return desk_; }

 private:
  static desk::Options options(const Policy& policy, std::function<bool()> may_measure) {
    desk::Options options;
    options.may_measure = std::move(may_measure);
    options.greeting.instance = "i";
    options.told_once = {{"former", message("agent.former_life", "it was started again")}};
    options.policy = policy;
    options.sessions_max = 3;
    options.trials_max = 4;
    return options;
  }

  Desk desk_;
};

template <typename T>
std::vector<T> all(const std::vector<desk::Action>& actions) {
  std::vector<T> found;
  for (const desk::Action& action : actions) {
    if (const T* one = std::get_if<T>(&action)) {
      found.push_back(*one);
    }
  }
  return found;
}

// The reports of one kind among the replies.
template <typename T>
std::vector<T> replies(const std::vector<desk::Action>& actions) {
  std::vector<T> found;
  for (const desk::Reply& reply : all<desk::Reply>(actions)) {
    if (const T* one = std::get_if<T>(&reply.report)) {
      found.push_back(*one);
    }
  }
  return found;
}

std::string failure_of(const std::vector<desk::Action>& actions) {
  const auto failures = replies<protocol::Failure>(actions);
  return failures.size() == 1 ? failures[0].what.id : "none";
}

protocol::Assign assignment(const std::string& campaign, std::uint32_t trial = 0) {
  protocol::Assign assign;
  assign.key = {campaign, trial, 1, "i"};
  assign.spec.command = {"true"};
  return assign;
}

TEST_CASE("desk: what a former life left is told once, to the campaign that it was") {
  Hall hall;
  const auto notices = [&](const std::string& campaign) {
    return replies<protocol::Welcome>(hall.greets("p", "", campaign)).at(0).notices.size();
  };
  CHECK(notices("other") == 0);
  CHECK(notices("former") == 1);
  CHECK(notices("former") == 0);
}

TEST_CASE("desk: a trial is made, begun, told what its client says, and forgotten") {
  Hall hall;
  CHECK(replies<protocol::Welcome>(hall.greets("p", "ann", "c")).size() == 1);
  const auto begun = hall.says("p", "ann", assignment("c"));
  REQUIRE(all<desk::CreateTrial>(begun).size() == 1);
  CHECK(all<desk::CreateTrial>(begun)[0].client == "ann");
  CHECK(all<desk::BeginTrial>(begun).size() == 1);
  const protocol::TrialKey key = assignment("c").key;
  CHECK(all<desk::TellTrial>(hall.says("p", "ann", protocol::Acknowledge{key, 1})).size() == 1);
  CHECK(all<desk::FetchFile>(hall.says("p", "ann", protocol::Fetch{key, 0, 0, 10})).size() == 1);
  CHECK(all<desk::TellTrial>(hall.says("p", "ann", assignment("c"))).size() == 1);
  hall.desk().handle(desk::TrialGone{key}, kStart);
  CHECK(hall.desk().trials() == 0);
  const auto again = replies<protocol::Status>(hall.says("p", "ann", assignment("c")));
  REQUIRE(again.size() == 1);
  CHECK(again[0].state == protocol::TrialState::lost);
}

TEST_CASE("desk: no request of another client reaches a trial, whatever it claims") {
  Hall hall;
  hall.greets("p", "ann", "c");
  hall.says("p", "ann", assignment("c"));
  const protocol::TrialKey key = assignment("c").key;
  CHECK(failure_of(hall.greets("q", "eve", "c")) == "agent.campaign_of_another");
  hall.greets("q", "eve", "d");
  protocol::Assign attach = assignment("c");
  attach.events_from = 0;
  for (const protocol::Request& request :
       {protocol::Request(protocol::Cancel{key, ""}), protocol::Request(protocol::Release{key}),
        protocol::Request(protocol::Acknowledge{key, 1}),
        protocol::Request(protocol::Fetch{key, 0, 0, 1}), protocol::Request(attach)}) {
    CAPTURE(protocol::tag(request));
    const auto actions = hall.says("q", "eve", request);
    REQUIRE(actions.size() == 1);
    REQUIRE(replies<protocol::Status>(actions).size() == 1);
    CHECK(replies<protocol::Status>(actions)[0].state == protocol::TrialState::lost);
  }
  // Nor under the first one's routing id.
  CHECK(failure_of(hall.says("p", "eve", protocol::Cancel{key, ""})) == "agent.no_session");
  // Nor when its coordinator is away.
  hall.desk().handle(desk::Tick{}, kStart + protocol::kSilenceMax);
  CHECK(failure_of(hall.greets("q", "eve", "c", kStart + protocol::kSilenceMax)) ==
        "agent.campaign_of_another");
}

TEST_CASE("desk: bytes that are no request are answered, and nothing else is done") {
  Hall hall;
  for (const char* bytes : {"", "x", "\xdd\xff\xff\xff\xff", "\x92\xa4ping"}) {
    const auto actions = hall.desk().handle(desk::MessageArrived{"p", "ann", bytes}, kStart);
    CHECK(actions.size() == 1);
    CHECK(failure_of(actions) != "none");
  }
  CHECK(failure_of(hall.says("p", "ann", protocol::Ping{1})) == "agent.no_session");
}

TEST_CASE("desk: a range of versions that holds ours is welcome; else it says who is to upgrade") {
  Hall hall;
  protocol::Hello hello;
  hello.campaign = "c";
  hello.software = "7.8.9";
  hello.major = protocol::kMajor + 1;
  const auto newer = replies<protocol::Failure>(hall.says("p", "ann", hello));
  REQUIRE(newer.size() == 1);
  CHECK(newer[0].request == "hello");
  CHECK(newer[0].what.id == "agent.too_old");
  CHECK(
      newer[0].what.text.find("upgrade the agent, with scripts/install-agent.sh of mstune 7.8.9") !=
      std::string::npos);
  hello.oldest_major = protocol::kMajor;
  const auto welcomes = replies<protocol::Welcome>(hall.says("p", "ann", hello));
  REQUIRE(welcomes.size() == 1);
  CHECK(welcomes[0].major == protocol::kMajor);
  hello.oldest_major = protocol::kMajor + 1;
  CHECK(failure_of(hall.says("p", "ann", hello)) == "agent.too_old");
  hello.major = protocol::kMajor - 1;
  hello.oldest_major = 0;
  const auto older = replies<protocol::Failure>(hall.says("p", "ann", hello));
  REQUIRE(older.size() == 1);
  CHECK(older[0].what.id == "agent.coordinator_too_old");
  CHECK(older[0].what.text.find("upgrade the coordinator") != std::string::npos);
}

TEST_CASE("desk: there are as many sessions and trials as it says, and no more") {
  Hall hall;
  for (const char* campaign : {"a", "b", "c"}) {
    hall.greets(campaign, "ann", campaign);
  }
  CHECK(failure_of(hall.greets("d", "ann", "d")) == "agent.too_many_sessions");
  CHECK(replies<protocol::Welcome>(hall.greets("c", "ann", "c")).size() == 1);
  for (std::uint32_t trial = 0; trial < 4; ++trial) {
    CHECK(failure_of(hall.says("a", "ann", assignment("a", trial))) == "none");
  }
  CHECK(failure_of(hall.says("a", "ann", assignment("a", 4))) == "agent.too_many_trials");
  CHECK(failure_of(hall.greets("x", "ann", std::string(65, 'x'))) == "agent.bad_campaign");
  CHECK(failure_of(hall.greets("x", "ann", "")) == "agent.bad_campaign");
}

TEST_CASE("desk: a client has only so many trials waiting, and others as many") {
  desk::Options options;
  options.greeting.instance = "i";
  Hall hall(std::move(options));
  hall.greets("a", "ann", "a");
  hall.greets("b", "bob", "b");
  for (std::uint32_t trial = 0; trial < 17; ++trial) {  // one of them has the device
    CHECK(failure_of(hall.says("a", "ann", assignment("a", trial))) == "none");
  }
  CHECK(failure_of(hall.says("a", "ann", assignment("a", 17))) == "agent.too_many_waiting");
  CHECK(failure_of(hall.says("b", "bob", assignment("b"))) == "none");
  hall.desk().handle(desk::TrialGone{assignment("a").key}, kStart);  // bob has it then
  CHECK(failure_of(hall.says("a", "ann", assignment("a", 17))) == "agent.too_many_waiting");
  hall.desk().handle(desk::TrialGone{assignment("b").key}, kStart);
  CHECK(failure_of(hall.says("a", "ann", assignment("a", 17))) == "none");
}

TEST_CASE("desk: whoever holds a pass has trials here or not") {
  Hall hall;
  hall.greets("p", "ann", "c");
  CHECK_FALSE(hall.desk().has_trials_of("ann run_1 on npu-a"));
  hall.says("p", "ann", assignment("c"));
  CHECK(hall.desk().has_trials_of("ann run_1 on npu-a"));
  CHECK_FALSE(hall.desk().has_trials_of("anna run_1 on npu-a"));
}

TEST_CASE("desk: who waits hears who holds the device, and not for ever") {
  Policy policy;
  policy.wait_max = seconds(60);
  Hall hall(policy);
  hall.greets("p", "ann", "a");
  hall.greets("q", "bob", "b");
  hall.says("p", "ann", assignment("a"));
  const auto told = replies<protocol::Status>(hall.says("q", "bob", assignment("b")));
  REQUIRE(told.size() == 1);
  CHECK(told[0].state == protocol::TrialState::queued);
  CHECK(told[0].held_by == "ann");
  const TimePoint next = hall.desk().deadline();
  CHECK(next == kStart + seconds(2));
  CHECK(replies<protocol::Status>(hall.desk().handle(desk::Tick{}, next)).size() == 1);
  for (int second = 0; second < 60; ++second) {
    const TimePoint now = kStart + seconds(second);
    hall.says("p", "ann", protocol::Ping{1}, now);
    CHECK(all<desk::TellTrial>(hall.says("q", "bob", protocol::Ping{1}, now)).empty());
  }
  const auto over = all<desk::TellTrial>(hall.desk().handle(desk::Tick{}, kStart + seconds(60)));
  REQUIRE(over.size() == 1);
  CHECK(over[0].key == assignment("b").key);
  const auto* why = std::get_if<NotStarted>(&over[0].event);
  REQUIRE(why != nullptr);
  CHECK(why->why.id == "agent.waited_too_long");
  CHECK(why->why.text.find("agent.conf") != std::string::npos);
  CHECK(why->cause == std::string(protocol::kCauseWait));
}

TEST_CASE(
    "desk: no trial begins while something is built on the machine, and those who wait hear it") {
  bool may = false;
  int asked = 0;
  Hall hall({}, [&] {
    ++asked;
    return may;
  });
  hall.greets("p", "ann", "a");
  CHECK(asked == 0);  // nobody waits
  protocol::Assign patient = assignment("a");
  patient.spec.wait_timeout_ms = 3000;
  CHECK(all<desk::BeginTrial>(hall.says("p", "ann", patient)).empty());
  CHECK(hall.desk().has_waiting_trials());
  CHECK(hall.desk().deadline() == kStart + std::chrono::milliseconds(50));
  const auto told =
      replies<protocol::Status>(hall.desk().handle(desk::Tick{}, kStart + seconds(2)));
  REQUIRE(told.size() == 1);
  CHECK(told[0].waits_for == protocol::WaitsFor::quiet_machine);
  SUBCASE("it is not asked while no device is free") {
    may = true;
    hall.desk().handle(desk::Tick{}, kStart + seconds(2));
    const int before = asked;
    hall.says("p", "ann", assignment("a", 1), kStart + seconds(2));
    CHECK(hall.desk().has_waiting_trials());
    CHECK(asked == before);
  }
  SUBCASE("it begins as soon as it may") {
    may = true;
    const auto begun = hall.desk().handle(desk::Tick{}, kStart + seconds(2));
    CHECK(all<desk::BeginTrial>(begun).size() == 1);
    CHECK_FALSE(hall.desk().has_waiting_trials());
    const int before = asked;
    hall.desk().handle(desk::Tick{}, kStart + seconds(3));
    CHECK(asked == before);
  }
  SUBCASE("or it has waited long enough") {
    const auto over = all<desk::TellTrial>(hall.desk().handle(desk::Tick{}, kStart + seconds(3)));
    REQUIRE(over.size() == 1);
    const auto* why = std::get_if<NotStarted>(&over[0].event);
    REQUIRE(why != nullptr);
    CHECK(why->why.id == "agent.machine_not_quiet");
    CHECK(why->why.text.find("3 s (--wait-timeout)") != std::string::npos);
    CHECK(why->cause == std::string(protocol::kCauseWait));
  }
}

TEST_CASE("desk: a trial waits for a device as long as its campaign wants") {
  Hall hall;
  hall.greets("p", "ann", "a");
  hall.greets("q", "bob", "b");
  hall.says("p", "ann", assignment("a"));
  protocol::Assign patient = assignment("b");
  patient.spec.wait_timeout_ms = 1500;
  hall.says("q", "bob", patient);
  CHECK(hall.desk().deadline() == kStart + std::chrono::milliseconds(1500));
  const auto over = all<desk::TellTrial>(
      hall.desk().handle(desk::Tick{}, kStart + std::chrono::milliseconds(1500)));
  REQUIRE(over.size() == 1);
  const auto* why = std::get_if<NotStarted>(&over[0].event);
  REQUIRE(why != nullptr);
  CHECK(why->why.text.find("--wait-timeout") != std::string::npos);
}

TEST_CASE("desk: files are held from their offer until their campaign is over") {
  Hall hall;
  hall.greets("p", "ann", "a");
  const Digest file = digest_of("file");
  protocol::Offer offer;
  offer.identity = {raw(file)};
  const auto held = all<desk::HoldFile>(hall.says("p", "ann", offer));
  REQUIRE(held.size() == 1);
  CHECK(held[0].identity == file);
  CHECK(all<desk::HoldFile>(hall.says("p", "ann", offer)).empty());
  const auto gone = all<desk::LetGo>(hall.says("p", "ann", protocol::Goodbye{}));
  REQUIRE(gone.size() == 1);
  CHECK(gone[0].files.unneeded == std::vector<Digest>{file});
}

TEST_CASE("desk: who asks how the agent is hears of devices, queue and sessions") {
  Hall hall;
  hall.greets("p", "ann", "a");
  hall.says("p", "ann", assignment("a", 0));
  hall.says("p", "ann", assignment("a", 1));
  const auto reports = all<desk::ReportCondition>(hall.says("p", "ann", protocol::Inspect{7}));
  REQUIRE(reports.size() == 1);
  const protocol::Condition& condition = reports[0].condition;
  CHECK(condition.sequence == 7);
  CHECK(condition.queued == 1);
  CHECK(condition.sessions == 1);
  REQUIRE(condition.devices.size() == 1);
  CHECK(condition.devices[0].holder == "ann");
}

TEST_CASE("desk: a cancelled or abandoned trial does not get the device") {
  Hall hall;
  hall.greets("p", "ann", "a");
  hall.says("p", "ann", assignment("a", 0));
  hall.says("p", "ann", assignment("a", 1));
  hall.says("p", "ann", assignment("a", 2));
  hall.says("p", "ann", protocol::Cancel{assignment("a", 1).key, ""});
  const auto next =
      all<desk::BeginTrial>(hall.desk().handle(desk::TrialGone{assignment("a", 0).key}, kStart));
  REQUIRE(next.size() == 1);
  CHECK(next[0].key == assignment("a", 2).key);
  hall.says("p", "ann", assignment("a", 3));
  const auto left = hall.says("p", "ann", protocol::Goodbye{});
  CHECK(all<desk::TellTrial>(left).size() == 3);
  CHECK(all<desk::BeginTrial>(hall.desk().handle(desk::TrialGone{assignment("a", 2).key}, kStart))
            .empty());
}

TEST_CASE("desk: a stopping agent begins nothing and tells every trial") {
  Hall hall;
  hall.greets("p", "ann", "a");
  hall.says("p", "ann", assignment("a", 0));
  hall.says("p", "ann", assignment("a", 1));
  const auto actions = hall.desk().handle(desk::StopAsked{}, kStart);
  CHECK(all<desk::BeginTrial>(actions).empty());
  CHECK(all<desk::TellTrial>(actions).size() >= 2);
  CHECK(all<desk::BeginTrial>(hall.desk().handle(desk::TrialGone{assignment("a", 0).key}, kStart))
            .empty());
}

TEST_CASE("desk: the policy's word is kept for trials and for files") {
  Hall hall(parse_policy("shell = no\nlargest-file = 1KB", "agent.conf"));
  hall.greets("p", "ann", "a");
  protocol::Assign shell = assignment("a");
  shell.spec.shell = true;
  CHECK(failure_of(hall.says("p", "ann", shell)) == "policy.no_shell");
  const auto refused =
      replies<protocol::Refused>(hall.says("p", "ann", protocol::Offer{7, {"x"}, 1025, 1}));
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].why.id == "policy.file_too_large");
  CHECK(all<desk::PassToFiles>(hall.says("p", "ann", protocol::Offer{8, {"x"}, 1024, 1})).size() ==
        1);
}

TEST_CASE("desk: an offer that is refused does not count for its client's share") {
  Hall hall(parse_policy("store-share = 1KB", "agent.conf"));
  hall.greets("p", "ann", "a");
  const protocol::Bytes first{std::string(kDigestSize, '1')};
  const protocol::Bytes second{std::string(kDigestSize, '2')};
  CHECK(all<desk::HoldFile>(hall.says("p", "ann", protocol::Offer{1, first, 1000, 1})).size() == 1);
  const auto full =
      replies<protocol::Refused>(hall.says("p", "ann", protocol::Offer{2, second, 1000, 1}));
  REQUIRE(full.size() == 1);
  CHECK(full[0].why.id == "policy.share_used_up");
  const SessionId session = hall.desk().session_of_campaign("a");
  const auto gone = all<desk::LetGo>(hall.desk().handle(desk::UploadRefused{session, 1}, kStart));
  REQUIRE(gone.size() == 1);
  CHECK(gone[0].files.unneeded.size() == 1);
  CHECK(all<desk::LetGo>(hall.desk().handle(desk::UploadRefused{session, 1}, kStart)).empty());
  CHECK(all<desk::PassToFiles>(hall.says("p", "ann", protocol::Offer{3, second, 1000, 1})).size() ==
        1);
}

TEST_CASE("desk: whose key is taken off the list has no session any more and no trial") {
  Hall hall;
  hall.greets("p", "ann", "a");
  hall.says("p", "ann", assignment("a", 0));
  hall.greets("q", "bob", "b");
  hall.says("q", "bob", assignment("b", 0));
  // The test's peers have no keys: the empty one stands for that of both.
  const auto actions = hall.desk().handle(desk::KeysTakenOff{{"k"}, {"ann"}}, kStart);
  const auto told = all<desk::TellTrial>(actions);
  REQUIRE(told.size() == 1);
  CHECK(told[0].key.campaign == "a");
  CHECK(std::get<CoordinatorGone>(told[0].event).for_good);
  hall.desk().handle(desk::KeysTakenOff{{""}, {"ann"}}, kStart);
  CHECK(hall.desk().sessions() == 0);
  CHECK_FALSE(hall.desk().peer_of_campaign("a"));
  CHECK(failure_of(hall.says("p", "ann", protocol::Ping{1})) == "agent.no_session");
}

TEST_CASE("desk: the pass is held under its client's name, where clients may") {
  Hall hall;
  hall.greets("p", "ann", "a");
  protocol::ManagePass hold;
  hold.action = protocol::kPassHold;
  hold.hold = "x";
  const auto asked = all<desk::AskBox>(hall.says("p", "ann", hold));
  REQUIRE(asked.size() == 1);
  CHECK(std::get<protocol::ManagePass>(asked[0].request).hold == "ann x");
  Hall strict(parse_policy("allow = /opt/*", "agent.conf"));
  strict.greets("p", "ann", "a");
  const auto refused = replies<protocol::PassManaged>(strict.says("p", "ann", hold));
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].failure.id == "policy.no_pass");
}

TEST_CASE("desk: a peer that begins another campaign has left the one before") {
  Hall hall;
  hall.greets("p", "ann", "a");
  hall.says("p", "ann", assignment("a"));
  const auto actions = hall.greets("p", "ann", "b");
  CHECK(all<desk::EndSession>(actions).size() == 1);
  REQUIRE(all<desk::TellTrial>(actions).size() == 1);
  CHECK_FALSE(hall.desk().peer_of_campaign("a"));
  CHECK(hall.desk().peer_of_campaign("b") == "p");
}

}  // namespace
}  // namespace mstune::agent
