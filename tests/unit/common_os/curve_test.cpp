#include "common/os/curve.h"

#include <chrono>
#include <optional>

#include <doctest/doctest.h>

#include "common/os/socket.h"

namespace mstune::os {
namespace {

constexpr Duration kLong = std::chrono::seconds(20);

struct Seen {
  std::optional<Frames> frames;
  std::optional<ConnectEvent> event;  // the last one that says why
};

// Lets a client knock until something arrives or it is told no.
Seen knock(const KeyPair& server, const Key& pinned, const KeyPair& client, ZapHandler* handler,
           const ZapHandler::Judge& judge) {
  Socket listener = Socket::listen("tcp://127.0.0.1:*", ListenSecurity{server.secret_key});
  Socket caller = Socket::connect(listener.endpoint(), ConnectSecurity{pinned, client});
  const TimePoint deadline = std::chrono::steady_clock::now() + kLong;
  Seen seen;
  while (!seen.frames && std::chrono::steady_clock::now() < deadline) {
    caller.send({{}, "hello", {}, {}});
    PollSet polled;
    polled.add(listener);
    polled.add(caller);
    if (handler != nullptr) {
      polled.add(*handler);
    }
    polled.wait(std::chrono::milliseconds(20));
    if (handler != nullptr) {
      handler->serve(judge);
    }
    seen.frames = listener.receive();
    while (const auto event = caller.next_connect_event()) {
      if (*event != ConnectEvent::no_answer && *event != ConnectEvent::connected &&
          *event != ConnectEvent::broken) {
        seen.event = event;
      }
    }
    if (seen.event) {
      break;
    }
  }
  return seen;
}

TEST_CASE("curve: who is named comes in under that name") {
  const KeyPair server = make_key_pair("box");
  const KeyPair client = make_key_pair("ann");
  ZapHandler handler;
  const Seen seen = knock(server, server.public_key, client, &handler,
                          [&](const Caller& caller) -> std::optional<std::string> {
                            CHECK(caller.address == "127.0.0.1");
                            CHECK(caller.key == client.public_key);
                            return "ann";
                          });
  REQUIRE(seen.frames);
  CHECK(seen.frames->header == "hello");
  CHECK(seen.frames->user == "ann");
}

TEST_CASE("curve: who is not named is told so and nothing of it arrives") {
  const KeyPair server = make_key_pair("box");
  ZapHandler handler;
  const Seen seen = knock(server, server.public_key, make_key_pair("eve"), &handler,
                          [](const Caller&) { return std::nullopt; });
  CHECK_FALSE(seen.frames);
  CHECK(seen.event == ConnectEvent::shut_out);
}

TEST_CASE("curve: without a handler nobody comes in") {
  const KeyPair server = make_key_pair("box");
  const Seen seen = knock(server, server.public_key, make_key_pair("ann"), nullptr, {});
  CHECK_FALSE(seen.frames);
  CHECK(seen.event);
}

TEST_CASE("curve: a server with another key than the pinned one is not talked to") {
  const KeyPair server = make_key_pair("box");
  ZapHandler handler;
  const Seen seen = knock(server, make_key_pair("other").public_key, make_key_pair("ann"), &handler,
                          [](const Caller&) { return "ann"; });
  CHECK_FALSE(seen.frames);
  REQUIRE(seen.event);
  CHECK(static_cast<int>(*seen.event) == static_cast<int>(ConnectEvent::no_handshake));
}

}  // namespace
}  // namespace mstune::os
