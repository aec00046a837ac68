#include "coordinator/reach.h"

#include <doctest/doctest.h>

namespace mstune::coordinator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const TimePoint kStart{std::chrono::hours(1)};
const Silence kQuiet;

Reach new_reach(const std::string& client = "ann", bool can_probe = true) {
  return {"tcp://h:1", client, can_probe, kStart};
}

template <typename T>
bool has(const std::vector<ReachAction>& actions) {
  return actions.size() == 1 && std::holds_alternative<T>(actions.front());
}

// The id of what is said; "none" if nothing is.
std::string said(const std::vector<ReachAction>& actions) {
  for (const ReachAction& action : actions) {
    if (const auto* refused = std::get_if<ReachRefused>(&action)) {
      return refused->why.id;
    }
    if (const auto* lost = std::get_if<ReachLost>(&action)) {
      return lost->why.id;
    }
  }
  return "none";
}

// Two handshakes fail a second apart, and somebody looks.
Reach doubtful(const std::string& client = "ann") {
  Reach reach = new_reach(client);
  CHECK(reach.handle(ConnectEvent::no_handshake, kStart).empty());
  CHECK(has<StartProbe>(reach.handle(ConnectEvent::no_handshake, kStart + seconds(1))));
  return reach;
}

TEST_CASE("reach: what ZeroMQ is sure of is said at once") {
  CHECK(said(new_reach().handle(ConnectEvent::shut_out, kStart)) == "connection.not_authorized");
  CHECK(said(new_reach().handle(ConnectEvent::other_mechanism, kStart)) ==
        "connection.agent_has_no_keys");
  CHECK(said(new_reach("").handle(ConnectEvent::other_mechanism, kStart)) ==
        "connection.agent_wants_keys");
}

TEST_CASE("reach: handshakes that fail within a second tell nothing yet") {
  Reach reach = new_reach();
  for (int i = 0; i < 10; ++i) {
    CHECK(reach.handle(ConnectEvent::no_handshake, kStart + milliseconds(99 * i)).empty());
    CHECK(reach.handle(ConnectEvent::broken, kStart + milliseconds(99 * i)).empty());
    CHECK(reach.handle(ConnectEvent::no_answer, kStart + milliseconds(99 * i)).empty());
  }
  CHECK(reach.handle(ConnectEvent::no_handshake, kStart + milliseconds(999)).empty());
  CHECK(has<StartProbe>(reach.handle(ConnectEvent::no_handshake, kStart + milliseconds(1000))));
}

TEST_CASE("reach: what greets with keys and ends every handshake has another key") {
  Reach reach = doubtful();
  CHECK(reach.handle(ProbeResult::wants_keys, kQuiet, kStart + seconds(1)).empty());
  CHECK(reach.handle(ConnectEvent::no_handshake, kStart + seconds(1)).empty());
  SUBCASE("every one") {
    CHECK(said(reach.handle(ConnectEvent::no_handshake, kStart + seconds(1))) ==
          "connection.wrong_server_key");
    CHECK(reach.handle(ConnectEvent::no_handshake, kStart + seconds(1)).empty());  // said once
    CHECK(reach.deadline(kQuiet) == kNever);
  }
  SUBCASE("but those that come much later are looked at anew") {
    CHECK(reach.handle(ConnectEvent::no_handshake, kStart + milliseconds(6001)).empty());
    CHECK(has<StartProbe>(reach.handle(ConnectEvent::no_handshake, kStart + milliseconds(7001))));
  }
  SUBCASE("but not when one comes about") {
    CHECK(reach.handle(ConnectEvent::connected, kStart + seconds(1)).empty());
    CHECK(reach.handle(ConnectEvent::no_handshake, kStart + seconds(1)).empty());
    CHECK(reach.handle(ConnectEvent::no_handshake, kStart + seconds(1)).empty());
  }
}

TEST_CASE("reach: what is silent is a broken way, and is looked at again") {
  Reach reach = doubtful();
  CHECK(said(reach.handle(ProbeResult::silent, kQuiet, kStart + seconds(1))) ==
        "connection.not_behind");
  CHECK(reach.handle(ConnectEvent::no_handshake, kStart + seconds(2)).empty());
  CHECK(has<StartProbe>(reach.handle(ConnectEvent::no_handshake, kStart + seconds(3))));
}

TEST_CASE("reach: what speaks otherwise is no agent, however that is found") {
  CHECK(said(doubtful().handle(ProbeResult::stranger, kQuiet, kStart + seconds(1))) ==
        "connection.stranger");
  // ZeroMQ may have given up without a word.
  Reach reach = new_reach();
  CHECK(has<StartProbe>(reach.tick(kQuiet, kStart + seconds(1))));
  CHECK(said(reach.handle(ProbeResult::stranger, kQuiet, kStart + seconds(1))) ==
        "connection.stranger");
  Reach trusted = new_reach();
  trusted.trust();
  CHECK(trusted.handle(ProbeResult::stranger, kQuiet, kStart + seconds(1)).empty());
}

TEST_CASE("reach: an agent that is not there may still come") {
  Reach reach = new_reach();
  for (int i = 0; i < 100; ++i) {
    CHECK(reach.handle(ConnectEvent::no_answer, kStart + milliseconds(800 * i)).empty());
    CHECK(reach.tick(kQuiet, kStart + milliseconds(800 * i + 799)).empty());
  }
}

TEST_CASE("reach: a key that has worked is never blamed") {
  Reach reach = new_reach();
  reach.trust();
  for (int i = 0; i < 1000; ++i) {
    CHECK(reach.handle(ConnectEvent::no_handshake, kStart + milliseconds(100 * i)).empty());
  }
  CHECK(reach.handle(ProbeResult::wants_keys, kQuiet, kStart + seconds(100)).empty());
}

Reach connected_reach() {
  Reach reach = new_reach();
  reach.handle(ConnectEvent::connected, kStart);
  reach.trust();
  return reach;
}

TEST_CASE("reach: what is not answered within a second is looked after, each second") {
  Reach reach = connected_reach();
  const Silence asked{kStart + seconds(10), false};
  CHECK(reach.deadline(asked) == kStart + seconds(11));
  CHECK(reach.tick(asked, kStart + milliseconds(10999)).empty());
  CHECK(has<StartProbe>(reach.tick(asked, kStart + seconds(11))));
  CHECK(reach.tick(asked, kStart + milliseconds(11999)).empty());
  CHECK(has<StartProbe>(reach.tick(asked, kStart + seconds(12))));
}

TEST_CASE("reach: a whole way beside a silent connection is taken") {
  Reach reach = connected_reach();
  const Silence asked{kStart + seconds(10), false};
  reach.tick(asked, kStart + seconds(11));
  SUBCASE("when somebody greets there") {
    CHECK(has<ConnectAnew>(reach.handle(ProbeResult::wants_keys, asked, kStart + seconds(12))));
  }
  SUBCASE("not when nobody does") {
    CHECK(reach.handle(ProbeResult::silent, asked, kStart + seconds(12)).empty());
    CHECK(reach.handle(ProbeResult::no_answer, asked, kStart + seconds(12)).empty());
  }
  SUBCASE("not when the answer has come meanwhile") {
    CHECK(reach.handle(ProbeResult::wants_keys, kQuiet, kStart + seconds(12)).empty());
  }
}

TEST_CASE("reach: a new connection that is no help has more time than the one before") {
  Reach reach = connected_reach();
  TimePoint now = kStart;
  for (const int patience : {1, 2, 4, 8}) {
    const Silence asked{now, false};
    CHECK(reach.tick(asked, now + seconds(patience) - milliseconds(1)).empty());
    now += seconds(patience);
    CHECK(has<StartProbe>(reach.tick(asked, now)));
    CHECK(has<ConnectAnew>(reach.handle(ProbeResult::wants_keys, asked, now)));
    reach.handle(ConnectEvent::connected, now);
  }
  SUBCASE("until all has been well for a while") {
    reach.heard(kQuiet, now + milliseconds(9999));
    CHECK(reach.deadline({now, false}) == now + seconds(16));
    reach.heard(kQuiet, now + seconds(10));
    CHECK(reach.deadline({now, false}) == now + seconds(1));
  }
}

TEST_CASE("reach: files under way may take a slow way as long as they usually do") {
  Reach reach = connected_reach();
  const Silence sending{kStart, true};
  CHECK(reach.deadline(sending) == kStart + seconds(6));  // nothing is known
  reach.heard(sending, kStart);
  reach.heard(sending, kStart + milliseconds(10));
  CHECK(reach.deadline(sending) == kStart + milliseconds(1510));
  reach.heard(sending, kStart + milliseconds(3010));
  CHECK(reach.deadline(sending) == kStart + milliseconds(9010));
}

TEST_CASE("reach: an attempt of which nothing is heard is made anew when the way is whole") {
  Reach reach = new_reach();
  CHECK(reach.tick(kQuiet, kStart + milliseconds(999)).empty());
  CHECK(has<StartProbe>(reach.tick(kQuiet, kStart + seconds(1))));
  CHECK(has<ConnectAnew>(reach.handle(ProbeResult::wants_keys, kQuiet, kStart + seconds(2))));
  // Time for its handshake.
  CHECK(reach.deadline(kQuiet) == kStart + seconds(4));
}

TEST_CASE("reach: where nobody can look, it is made anew after a while") {
  Reach reach = new_reach("", false);
  CHECK(reach.deadline(kQuiet) == kStart + seconds(10));
  CHECK(reach.tick(kQuiet, kStart + milliseconds(9999)).empty());
  CHECK(has<ConnectAnew>(reach.tick(kQuiet, kStart + seconds(10))));
}

}  // namespace
}  // namespace mstune::coordinator
