#include "common/os/socket.h"

#include <algorithm>
#include <array>
#include <utility>

#include <zmq.hpp>

#include "common/error.h"

namespace mstune::os {
namespace {

// One context for the process: closing it waits for the lingering of its sockets.
zmq::context_t& context() {
  static zmq::context_t the_context(1);
  return the_context;
}

constexpr int kLingerMs = 500;
constexpr int kHeartbeatMs = 5000;
constexpr int kHeartbeatTimeoutMs = 15000;

}  // namespace

struct Socket::State {
  zmq::socket_t socket;
  bool routes = false;
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
  socket.set(zmq::sockopt::ipv6, 1);
}

}  // namespace

Socket Socket::listen(const std::string& endpoint, const SocketLimits& limits) {
  auto state = std::make_unique<State>();
  state->routes = true;
  state->socket = zmq::socket_t(context(), zmq::socket_type::router);
  set_options(state->socket, limits);
  state->socket.set(zmq::sockopt::router_mandatory, 1);
  try {
    state->socket.bind(endpoint);
  } catch (const zmq::error_t& error) {
    throw environment_error("socket.cannot_bind",
                            "cannot listen at {}: {}; is another agent running there?", endpoint,
                            std::string(error.what()));
  }
  return Socket(std::move(state));
}

Socket Socket::connect(const std::string& endpoint, const SocketLimits& limits) {
  auto state = std::make_unique<State>();
  state->socket = zmq::socket_t(context(), zmq::socket_type::dealer);
  set_options(state->socket, limits);
  state->socket.set(zmq::sockopt::reconnect_ivl, 100);
  state->socket.set(zmq::sockopt::reconnect_ivl_max, 5000);
  state->socket.set(zmq::sockopt::immediate, 1);  // nothing queues for a peer that is not there
  try {
    state->socket.connect(endpoint);
  } catch (const zmq::error_t& error) {
    throw usage_error("socket.bad_endpoint", "cannot connect to {}: {}", endpoint,
                      std::string(error.what()));
  }
  return Socket(std::move(state));
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
    bool more = true;
    while (more) {
      zmq::message_t part;
      if (!state_->socket.recv(part, zmq::recv_flags::dontwait)) {
        return std::nullopt;
      }
      more = part.more();
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
    }
    frames.header = std::move(parts[first]);
    if (parts.size() == first + 2) {
      frames.payload = std::move(parts[first + 1]);
    }
    return frames;
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
  return std::any_of(items_->list.begin(), items_->list.end(), [&](const zmq::pollitem_t& item) {
    return item.socket == socket.state_->socket.handle() && item.revents != 0;
  });
}

bool PollSet::readable(int descriptor) const {
  return std::any_of(items_->list.begin(), items_->list.end(), [&](const zmq::pollitem_t& item) {
    return item.socket == nullptr && item.fd == descriptor && item.revents != 0;
  });
}

}  // namespace mstune::os
