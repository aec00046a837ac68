#include "common/os/peer_probe.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <doctest/doctest.h>

#include "common/error.h"
#include "common/os/clock.h"
#include "common/os/socket.h"

namespace mstune::os {
namespace {

using std::chrono::seconds;

// A listener that does with a connection what the test says; TCP's own port on this machine.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    auto* plain = reinterpret_cast<sockaddr*>(&address);  // NOLINT: the system's interface
    REQUIRE(::bind(socket_.value(), plain, length) == 0);
    REQUIRE(::listen(socket_.value(), 4) == 0);
    REQUIRE(::getsockname(socket_.value(), plain, &length) == 0);
    port_ = ntohs(address.sin_port);
  }
  [[nodiscard]] std::vector<Address> addresses() const {
    return look_up("127.0.0.1", std::to_string(port_)).addresses;
  }
  [[nodiscard]] UniqueFd accept() const {
    return UniqueFd(::accept4(socket_.value(), nullptr, nullptr, SOCK_CLOEXEC));
  }
  void close() { socket_.reset(); }

 private:
  UniqueFd socket_;
  int port_ = 0;
};

// As the session's loop does it.
ProbeResult result_of(PeerProbe& probe) {
  for (;;) {
    if (const auto result = probe.step(steady_now())) {
      return *result;
    }
    PollSet polled;
    for (const int descriptor : probe.descriptors()) {
      polled.add(descriptor);
    }
    polled.wait(time_left(probe.deadline(), steady_now()));
  }
}

ProbeResult look_at(const std::string& endpoint, bool with_keys) {
  PeerProbe probe(look_up_endpoint(endpoint)->addresses, with_keys, steady_now());
  return result_of(probe);
}

TEST_CASE("peer probe: an agent's socket greets, with keys or without, whatever the probe has") {
  const Socket open = Socket::listen("tcp://127.0.0.1:*", std::nullopt);
  const Socket guarded =
      Socket::listen("tcp://127.0.0.1:*", ListenSecurity{make_key_pair("box").secret_key});
  for (const bool with_keys : {true, false}) {
    CHECK(look_at(open.endpoint(), with_keys) == ProbeResult::no_keys);
    CHECK(look_at(guarded.endpoint(), with_keys) == ProbeResult::wants_keys);
  }
}

TEST_CASE("peer probe: a connection that is taken and ended is silent") {
  const Listener listener;
  PeerProbe probe(listener.addresses(), true, steady_now());
  static_cast<void>(listener.accept());
  CHECK(result_of(probe) == ProbeResult::silent);
}

TEST_CASE("peer probe: and so is one that is taken and reset") {
  const Listener listener;
  PeerProbe probe(listener.addresses(), true, steady_now());
  {
    const UniqueFd taken = listener.accept();
    const linger at_once{1, 0};
    REQUIRE(::setsockopt(taken.value(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)) == 0);
  }
  CHECK(result_of(probe) == ProbeResult::silent);
}

TEST_CASE("peer probe: so is one that is taken and left alone, until its time is over") {
  const Listener listener;
  const TimePoint now = steady_now();
  PeerProbe probe(listener.addresses(), true, now);
  const UniqueFd taken = listener.accept();
  CHECK_FALSE(probe.step(probe.deadline() - seconds(1)));
  CHECK(probe.step(probe.deadline()) == ProbeResult::silent);
}

TEST_CASE("peer probe: who speaks otherwise is a stranger") {
  const Listener listener;
  PeerProbe probe(listener.addresses(), true, steady_now());
  const UniqueFd taken = listener.accept();
  CHECK(write_fully(taken.value(), "SSH-2.0-OpenSSH_9.2\r\n"));
  CHECK(result_of(probe) == ProbeResult::stranger);
}

TEST_CASE("peer probe: where nobody listens there is no answer") {
  Listener listener;
  const std::vector<Address> addresses = listener.addresses();
  listener.close();
  PeerProbe probe(addresses, true, steady_now());
  CHECK(result_of(probe) == ProbeResult::no_answer);
  PeerProbe nowhere({}, true, steady_now());
  CHECK(nowhere.step(steady_now()) == ProbeResult::no_answer);
}

TEST_CASE("socket: listens at a name of this machine") {
  const Socket socket = Socket::listen("tcp://localhost:*", std::nullopt);
  CHECK(look_at(socket.endpoint(), false) == ProbeResult::no_keys);
  CHECK_THROWS_WITH_AS(Socket::listen("tcp://no-such-host.invalid:*", std::nullopt),
                       doctest::Contains("no-such-host.invalid"), Error);
}

TEST_CASE("host lookup: addresses are themselves, and endpoints of other kinds have none") {
  REQUIRE(look_up_endpoint("tcp://[::1]:7").has_value());
  CHECK(numeric_host(look_up_endpoint("tcp://[::1]:7")->addresses.front()) == "[::1]");
  CHECK(numeric_host(look_up_endpoint("tcp://127.0.0.1:7")->addresses.front()) == "127.0.0.1");
  CHECK_FALSE(look_up_endpoint("ipc:///run/a.sock"));
}

TEST_CASE("socket: one that connects anew gets through where the peer forgot it") {
  Socket listener = Socket::listen("tcp://127.0.0.1:*", std::nullopt);
  Socket caller = Socket::connect(listener.endpoint(), std::nullopt);
  const auto arrives = [&](const char* text) {
    const TimePoint deadline = after(steady_now(), seconds(20));
    while (steady_now() < deadline) {
      const bool taken = caller.send({{}, text, {}, {}});
      PollSet polled;
      polled.add(listener);
      polled.wait(std::chrono::milliseconds(20));
      if (const auto frames = listener.receive(); taken && frames) {
        return frames->header == text;
      }
    }
    return false;
  };
  CHECK(arrives("one"));
  while (listener.receive()) {
  }
  caller.connect_anew();
  CHECK(arrives("two"));
}

}  // namespace
}  // namespace mstune::os
