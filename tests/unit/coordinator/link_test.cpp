#include "coordinator/link.h"

#include <doctest/doctest.h>

namespace mstune::coordinator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const TimePoint kStart{std::chrono::hours(1)};

template <typename T>
bool has(const std::vector<LinkAction>& actions) {
  for (const LinkAction& action : actions) {
    if (std::holds_alternative<T>(action)) {
      return true;
    }
  }
  return false;
}

template <typename T>
bool sends(const std::vector<LinkAction>& actions) {
  for (const LinkAction& action : actions) {
    const auto* send = std::get_if<SendRequest>(&action);
    if (send != nullptr && std::holds_alternative<T>(send->request)) {
      return true;
    }
  }
  return false;
}

Link ready_link() {
  Link link("c", kStart);
  CHECK(sends<protocol::Hello>(link.tick(kStart)));
  CHECK(has<LinkReady>(link.handle(protocol::Welcome{}, kStart)));
  return link;
}

TEST_CASE("link: a welcome in another major version is refused with a sentence") {
  Link link("c", kStart);
  link.tick(kStart);
  protocol::Welcome welcome;
  welcome.major = protocol::kMajor + 1;
  const auto actions = link.handle(welcome, kStart);
  REQUIRE(has<LinkRefused>(actions));
  CHECK(std::get<LinkRefused>(actions.back()).why.id == "link.coordinator_too_old");
  CHECK_FALSE(link.ready());
}

TEST_CASE(
    "link: a welcome that no machine could give is refused, the largest of real ones is not") {
  for (const std::size_t devices : {1024U, 1025U, 60'000U}) {
    Link link("c", kStart);
    link.tick(kStart);
    protocol::Welcome welcome;
    welcome.devices.resize(devices);
    CHECK(has<LinkReady>(link.handle(welcome, kStart)) == (devices <= 1024));
  }
  Link link("c", kStart);
  link.tick(kStart);
  protocol::Welcome welcome;
  welcome.host = std::string(100'000, 'h');
  CHECK(has<LinkRefused>(link.handle(welcome, kStart)));
}

TEST_CASE("link: greets again, less and less often, until it is welcome") {
  Link link("c", kStart);
  TimePoint now = kStart;
  for (int i = 0; i < 20; ++i) {
    CHECK(link.deadline() == now);
    CHECK(sends<protocol::Hello>(link.tick(now)));
    CHECK(link.tick(now).empty());
    CHECK(link.deadline() - now <= seconds(1));
    now = link.deadline();
  }
  CHECK(has<LinkReady>(link.handle(protocol::Welcome{}, now)));
  CHECK(link.ready());
}

TEST_CASE("link: pings every period and is gone after three without an answer") {
  Link link = ready_link();
  CHECK(link.tick(kStart + milliseconds(1999)).empty());
  CHECK(sends<protocol::Ping>(link.tick(kStart + seconds(2))));
  CHECK(sends<protocol::Ping>(link.tick(kStart + seconds(4))));
  CHECK_FALSE(has<LinkGone>(link.tick(kStart + milliseconds(5999))));
  const auto gone = link.tick(kStart + seconds(6));
  CHECK(has<LinkGone>(gone));
  CHECK(sends<protocol::Hello>(gone));
  CHECK_FALSE(link.ready());
  CHECK(has<LinkReady>(link.handle(protocol::Welcome{}, kStart + seconds(9))));
}

TEST_CASE("link: whatever is heard shows that the agent lives") {
  Link link = ready_link();
  link.handle(protocol::Events{}, kStart + seconds(5));
  CHECK_FALSE(has<LinkGone>(link.tick(kStart + milliseconds(10999))));
  CHECK(has<LinkGone>(link.tick(kStart + seconds(11))));
}

TEST_CASE("link: an agent that forgot the session is greeted at once") {
  Link link = ready_link();
  const auto actions = link.handle(
      protocol::Failure{"ping", message("agent.no_session", "say hello first")}, kStart);
  CHECK(sends<protocol::Hello>(actions));
}

TEST_CASE("link: a connection that came about anew is greeted at once") {
  Link link = ready_link();
  CHECK(sends<protocol::Hello>(link.connected(kStart + seconds(1))));
  CHECK(link.ready());
  CHECK(has<LinkReady>(link.handle(protocol::Welcome{}, kStart + seconds(1))));
}

TEST_CASE("link: a refused hello is final") {
  Link link("c", kStart);
  CHECK(has<LinkRefused>(
      link.handle(protocol::Failure{"hello", message("agent.coordinator_too_old", "no")}, kStart)));
  CHECK(link.deadline() == kNever);
  CHECK(link.tick(kStart + seconds(100)).empty());
  CHECK(link.handle(protocol::Welcome{}, kStart).empty());
  CHECK(link.connected(kStart).empty());
}

TEST_CASE("link: an agent that stood still and answers every greeting at once is ready once") {
  Link link("c", kStart);
  TimePoint now = kStart;
  for (int i = 0; i < 15; ++i) {
    link.tick(now);
    now = link.deadline();
  }
  protocol::Welcome welcome;
  welcome.instance = "i";
  CHECK(has<LinkReady>(link.handle(welcome, now)));
  for (int i = 0; i < 14; ++i) {
    CHECK_FALSE(has<LinkReady>(link.handle(welcome, now)));
  }
  SUBCASE("unless it was started again") {
    welcome.instance = "j";
    CHECK(has<LinkReady>(link.handle(welcome, now)));
  }
  SUBCASE("unless it was greeted again") {
    CHECK(sends<protocol::Hello>(link.connected(now)));
    CHECK(has<LinkReady>(link.handle(welcome, now)));
  }
}

}  // namespace
}  // namespace mstune::coordinator
