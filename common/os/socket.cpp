#include "common/os/socket.h"

#include <net/if.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "common/error.h"
#include "common/os/host_lookup.h"
#include "common/os/identity.h"
#include "common/os/zmq_pieces.h"

namespace mstune::os {

zmq::context_t& context() {
  static zmq::context_t the_context(1);
  return the_context;
}

namespace {

constexpr int kLingerMs = 500;
constexpr int kHeartbeatMs = 5000;
constexpr int kHeartbeatTimeoutMs = 15000;
constexpr int kEnforceDomain = 93;  // ZMQ_ZAP_ENFORCE_DOMAIN; its name is hidden as a draft
constexpr int kAcceptEvents = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_CLOSED | ZMQ_EVENT_DISCONNECTED;
constexpr int kWatchedEvents =
    ZMQ_EVENT_CONNECT_RETRIED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED |
    ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
    ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

}  // namespace

struct Socket::State {
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  // The monitor's writer is libzmq's own thread, which would wait for ever for a reader that went
  // first: it is told to stop.
  ~State() {
    if (monitor) {
      zmq_socket_monitor(socket.handle(), nullptr, 0);
    }
  }

  zmq::socket_t socket;
  zmq::socket_t monitor;  // of a DEALER's connecting, of what a ROUTER accepts
  bool routes = false;
  // A DEALER's only:
  std::string endpoint;
  std::optional<ConnectSecurity> security;
  SocketLimits limits;
};

Socket::Socket(std::unique_ptr<State> state) : state_(std::move(state)) {}
Socket::Socket(Socket&&) noexcept = default;
Socket& Socket::operator=(Socket&&) noexcept = default;
Socket::~Socket() = default;

namespace {

void set_options(zmq::socket_t& socket, const SocketLimits& limits) {
  socket.set(zmq::sockopt::linger, kLingerMs);
  socket.set(zmq::sockopt::maxmsgsize, limits.frame_bytes_max);
  socket.set(zmq::sockopt::sndhwm, limits.messages_max);
  socket.set(zmq::sockopt::rcvhwm, limits.messages_max);
  socket.set(zmq::sockopt::heartbeat_ivl, kHeartbeatMs);
  socket.set(zmq::sockopt::heartbeat_timeout, kHeartbeatTimeoutMs);
  socket.set(zmq::sockopt::handshake_ivl, kHeartbeatMs);
}

// An IPv4 address that is listened at through IPv6 is shown in a way that others do not read.
bool listens_through_ipv6(const std::string& endpoint) {
  return endpoint.find('[') != std::string::npos || endpoint.starts_with("tcp://*:");
}

// ZeroMQ listens at addresses and interfaces; of names it knows only those of interfaces.
std::string endpoint_to_bind(const std::string& endpoint) {
  constexpr std::string_view kTcp = "tcp://";
  const auto colon = endpoint.rfind(':');
  if (!endpoint.starts_with(kTcp) || colon < kTcp.size()) {
    return endpoint;
  }
  const std::string host = endpoint.substr(kTcp.size(), colon - kTcp.size());
  if (host.empty() || host.front() == '[' || host == "*" || ::if_nametoindex(host.c_str()) != 0) {
    return endpoint;
  }
  const HostLookup found = look_up(host, "");
  if (found.addresses.empty()) {
    throw environment_error("socket.no_such_host", "cannot listen at {}: {}", endpoint,
                            found.failure);
  }
  const auto ipv4 =
      std::find_if(found.addresses.begin(), found.addresses.end(),
                   [](const Address& address) { return address.value.ss_family == AF_INET; });
  const Address& chosen = ipv4 == found.addresses.end() ? found.addresses.front() : *ipv4;
  return std::string(kTcp) + numeric_host(chosen) + endpoint.substr(colon);
}

zmq::const_buffer bytes_of(const Key& key) {
  return zmq::buffer(key);
}

// The domain makes libzmq ask the handler, and enforcing it makes the answer of a missing handler
// a no: without either, whoever has any key is let in.
void set_security(zmq::socket_t& socket, const ListenSecurity& security) {
  socket.set(zmq::sockopt::curve_server, 1);
  socket.set(zmq::sockopt::curve_secretkey, bytes_of(security.secret_key));
  socket.set(zmq::sockopt::zap_domain, std::string(kZapDomain));
  const int enforce = 1;
  if (zmq_setsockopt(socket.handle(), kEnforceDomain, &enforce, sizeof enforce) != 0) {
    throw environment_error("socket.cannot_fail_closed",
                            "this libzmq cannot be told to refuse callers when nobody judges them: "
                            "install libzmq 4.3 or later");
  }
}

void set_security(zmq::socket_t& socket, const ConnectSecurity& security) {
  socket.set(zmq::sockopt::curve_serverkey, bytes_of(security.server_key));
  socket.set(zmq::sockopt::curve_publickey, bytes_of(security.own.public_key));
  socket.set(zmq::sockopt::curve_secretkey, bytes_of(security.own.secret_key));
}

zmq::socket_t watch(zmq::socket_t& socket, int events) {
  const std::string address = "inproc://monitor-" + random_hex_id(8);
  zmq::socket_t monitor(context(), zmq::socket_type::pair);
  monitor.set(zmq::sockopt::linger, 0);
  monitor.set(zmq::sockopt::rcvhwm, 0);  // nor may it wait for a reader that is busy
  if (zmq_socket_monitor(socket.handle(), address.c_str(), events) != 0) {
    throw zmq::error_t();
  }
  monitor.connect(address);
  return monitor;
}

std::optional<ConnectEvent> connect_event(std::uint16_t event, std::uint32_t value) {
  switch (event) {
    case ZMQ_EVENT_CONNECT_RETRIED:
      return ConnectEvent::no_answer;
    case ZMQ_EVENT_DISCONNECTED:
      return ConnectEvent::broken;
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
      return ConnectEvent::connected;
    case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
      return ConnectEvent::shut_out;
    case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
      return value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH ? ConnectEvent::other_mechanism
                                                                 : ConnectEvent::no_handshake;
    case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
      return ConnectEvent::no_handshake;
    default:
      return std::nullopt;
  }
}

// What a monitor tells, as libzmq packs it.
struct Told {
  std::uint16_t event = 0;
  std::uint32_t value = 0;
};

std::optional<Told> next_event(zmq::socket_t& monitor) {
  zmq::message_t what;
  zmq::message_t address;
  if (!monitor.recv(what, zmq::recv_flags::dontwait) ||
      !monitor.recv(address, zmq::recv_flags::dontwait)) {
    return std::nullopt;
  }
  Told told;
  if (what.size() == sizeof told.event + sizeof told.value) {
    std::memcpy(&told.event, what.data(), sizeof told.event);
    std::memcpy(&told.value, static_cast<const char*>(what.data()) + sizeof told.event,
                sizeof told.value);
  }
  return told;
}

// The judge's name for the sender. Read from a frame after the first: libzmq puts it there surely.
std::string user_of(zmq::message_t& part) {
  const char* name = zmq_msg_gets(part.handle(), "User-Id");
  return name == nullptr ? std::string() : std::string(name);
}

}  // namespace

Socket Socket::listen(const std::string& endpoint, const std::optional<ListenSecurity>& security,
                      const SocketLimits& limits) {
  auto state = std::make_unique<State>();
  state->routes = true;
  state->socket = zmq::socket_t(context(), zmq::socket_type::router);
  set_options(state->socket, limits);
  state->socket.set(zmq::sockopt::router_mandatory, 1);
  const std::string address = endpoint_to_bind(endpoint);
  state->socket.set(zmq::sockopt::ipv6, listens_through_ipv6(address) ? 1 : 0);
  if (security) {
    set_security(state->socket, *security);
  }
  state->monitor = watch(state->socket, kAcceptEvents);
  try {
    state->socket.bind(address);
  } catch (const zmq::error_t& error) {
    throw environment_error("socket.cannot_bind",
                            "cannot listen at {}: {}; is another agent running there?", endpoint,
                            std::string(error.what()));
  }
  return Socket(std::move(state));
}

Socket Socket::connect(const std::string& endpoint, const std::optional<ConnectSecurity>& security,
                       const SocketLimits& limits) {
  auto state = std::make_unique<State>();
  state->socket = zmq::socket_t(context(), zmq::socket_type::dealer);
  set_options(state->socket, limits);
  state->socket.set(zmq::sockopt::ipv6, 1);  // names may have addresses of both kinds
  state->socket.set(zmq::sockopt::reconnect_ivl, 100);
  // What has healed is found within a second.
  state->socket.set(zmq::sockopt::reconnect_ivl_max, 800);
  state->socket.set(zmq::sockopt::immediate, 1);  // nothing queues for a peer that is not there
  if (security) {
    set_security(state->socket, *security);
  }
  state->endpoint = endpoint;
  state->security = security;
  state->limits = limits;
  state->monitor = watch(state->socket, kWatchedEvents);
  try {
    state->socket.connect(endpoint);
  } catch (const zmq::error_t& error) {
    throw usage_error("socket.bad_endpoint", "cannot connect to {}: {}", endpoint,
                      std::string(error.what()));
  }
  return Socket(std::move(state));
}

void Socket::connect_anew() {
  state_->socket.set(zmq::sockopt::linger, 0);
  *this = connect(state_->endpoint, state_->security, state_->limits);
}

bool Socket::send(const Frames& frames) {
  const auto flags = [](bool more) {
    return zmq::send_flags::dontwait | (more ? zmq::send_flags::sndmore : zmq::send_flags::none);
  };
  const bool with_payload = !frames.payload.empty();
  try {
    if (state_->routes && !state_->socket.send(zmq::buffer(frames.peer), flags(true))) {
      return false;
    }
    if (!state_->socket.send(zmq::buffer(frames.header), flags(with_payload))) {
      return false;
    }
    return !with_payload || state_->socket.send(zmq::buffer(frames.payload), flags(false));
  } catch (const zmq::error_t&) {
    return false;  // EHOSTUNREACH: the ROUTER knows no such peer any more
  }
}

std::optional<Frames> Socket::receive() {
  for (;;) {
    std::vector<std::string> parts;
    std::string user;
    int descriptor = -1;
    bool more = true;
    while (more) {
      zmq::message_t part;
      if (!state_->socket.recv(part, zmq::recv_flags::dontwait)) {
        return std::nullopt;
      }
      more = part.more();
      if (state_->routes && parts.size() == 1) {
        user = user_of(part);
        descriptor = zmq_msg_get(part.handle(), ZMQ_SRCFD);
      }
      if (parts.size() < 4) {
        parts.emplace_back(static_cast<const char*>(part.data()), part.size());
      }
    }
    const std::size_t first = state_->routes ? 1 : 0;
    if (parts.size() < first + 1 || parts.size() > first + 2) {
      continue;
    }
    Frames frames;
    if (state_->routes) {
      frames.peer = std::move(parts[0]);
      frames.user = std::move(user);
      frames.descriptor = descriptor;
    }
    frames.header = std::move(parts[first]);
    if (parts.size() == first + 2) {
      frames.payload = std::move(parts[first + 1]);
    }
    return frames;
  }
}

std::optional<ConnectEvent> Socket::next_connect_event() {
  while (state_->monitor && !state_->routes) {
    const auto told = next_event(state_->monitor);
    if (!told) {
      return std::nullopt;
    }
    if (const auto found = connect_event(told->event, told->value)) {
      return found;
    }
  }
  return std::nullopt;
}

std::optional<AcceptEvent> Socket::next_accept_event() {
  while (state_->monitor && state_->routes) {
    const auto told = next_event(state_->monitor);
    if (!told) {
      return std::nullopt;
    }
    const int descriptor = static_cast<int>(told->value);
    if (told->event == ZMQ_EVENT_ACCEPTED) {
      return AcceptEvent{descriptor, true, peer_address(descriptor)};
    }
    return AcceptEvent{descriptor, false, {}};
  }
  return std::nullopt;
}

std::string peer_address(int descriptor) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&address), &length) != 0 ||
      ::getnameinfo(reinterpret_cast<sockaddr*>(&address), length, host.data(), host.size(),
                    port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return {};
  }
  return std::string(host.data()) + ":" + port.data();
}

void shut_down(int descriptor, const std::string& peer) {
  if (!peer.empty() && peer_address(descriptor) == peer) {
    ::shutdown(descriptor, SHUT_RDWR);
  }
}

std::string Socket::endpoint() const {
  return state_->socket.get(zmq::sockopt::last_endpoint);
}

struct PollSet::Items {
  std::vector<zmq::pollitem_t> list;
};

PollSet::PollSet() : items_(std::make_unique<Items>()) {}
PollSet::~PollSet() = default;

void PollSet::add(const Socket& socket) {
  items_->list.push_back({socket.state_->socket.handle(), 0, ZMQ_POLLIN, 0});
  if (socket.state_->monitor) {
    items_->list.push_back({socket.state_->monitor.handle(), 0, ZMQ_POLLIN, 0});
  }
}

void PollSet::add(const ZapHandler& handler) {
  items_->list.push_back({handler.state_->socket.handle(), 0, ZMQ_POLLIN, 0});
}

void PollSet::add(int descriptor) {
  if (descriptor >= 0) {
    items_->list.push_back({nullptr, descriptor, ZMQ_POLLIN, 0});
  }
}

void PollSet::wait(Duration wait) {
  // Rounded up: a wait of half a millisecond must not become a busy loop.
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(wait);
  const auto bounded = std::clamp(milliseconds, std::chrono::milliseconds(0),
                                  std::chrono::milliseconds(std::chrono::hours(1)));
  try {
    zmq::poll(items_->list, bounded);
  } catch (const zmq::error_t& error) {
    if (error.num() != EINTR) {
      throw;
    }
  }
}

bool PollSet::readable(const Socket& socket) const {
  // What is told of connecting counts: left unread, it would end every wait at once.
  const void* const own = socket.state_->socket.handle();
  const void* const monitor = socket.state_->monitor ? socket.state_->monitor.handle() : nullptr;
  return std::any_of(items_->list.begin(), items_->list.end(), [&](const zmq::pollitem_t& item) {
    const bool concerned = item.socket != nullptr && (item.socket == own || item.socket == monitor);
    return concerned && item.revents != 0;
  });
}

bool PollSet::readable(int descriptor) const {
  return std::any_of(items_->list.begin(), items_->list.end(), [&](const zmq::pollitem_t& item) {
    return item.socket == nullptr && item.fd == descriptor && item.revents != 0;
  });
}

}  // namespace mstune::os
