#include "tests/system/proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <vector>

namespace mstune::test {
namespace {

// The network's clock: what is due is looked at so often.
constexpr int kTickMs = 5;

sockaddr_in address_of(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

const sockaddr* plain(const sockaddr_in& address) {
  return reinterpret_cast<const sockaddr*>(&address);  // NOLINT: what the system's interface wants
}

os::UniqueFd tcp_socket() {
  return os::UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

// Waits until everything is with the system; false when the other side is gone.
bool write_all(int descriptor, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::send(descriptor, bytes, size, MSG_NOSIGNAL);
    if (written <= 0) {
      return false;
    }
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

void close_with_reset(const os::UniqueFd& descriptor) {
  const linger at_once{1, 0};
  ::setsockopt(descriptor.value(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
}

}  // namespace

Proxy::Proxy(int port) : agent_port_(port) {
  listen();
  thread_ = std::thread([this] { work(); });
}

Proxy::~Proxy() {
  stop_ = true;
  thread_.join();
}

// Again at the port that it had.
void Proxy::listen() {
  listener_ = tcp_socket();
  const int yes = 1;
  ::setsockopt(listener_.value(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in address = address_of(port_);
  socklen_t length = sizeof(address);
  if (::bind(listener_.value(), plain(address), sizeof(address)) != 0 ||
      ::listen(listener_.value(), 8) != 0 ||
      ::getsockname(listener_.value(),
                    reinterpret_cast<sockaddr*>(&address),  // NOLINT: as above
                    &length) != 0) {
    throw std::runtime_error("the proxy cannot listen");
  }
  port_ = ntohs(address.sin_port);
}

void Proxy::become(Network network) {
  wanted_ = network;
  while (carried_out_ != network) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the thread's turn is that short
  }
}

void Proxy::change_to(Network network) {
  network_ = network;
  if (network == Network::half_open) {
    for (Connection& connection : connections_) {
      forgotten_.push_back(std::move(connection.coordinator));
    }
    connections_.clear();
  } else if (network == Network::reset) {
    for (const Connection& connection : connections_) {
      close_with_reset(connection.coordinator);
      close_with_reset(connection.agent);
    }
    connections_.clear();
  } else if (network == Network::dropped || network == Network::refused ||
             network == Network::cut_short) {
    connections_.clear();
  }
  if (network == Network::refused) {
    listener_.reset();
  } else if (!listener_.valid()) {
    listen();
  }
}

bool Proxy::lets_through(bool towards_agent) const {
  switch (network_) {
    case Network::whole:
    case Network::cut_short:
      return true;
    case Network::only_to_agent:
      return towards_agent;
    case Network::only_from_agent:
      return !towards_agent;
    case Network::silent:
    case Network::refused:
    case Network::dropped:
    case Network::reset:
    case Network::half_open:
      return false;
  }
  return true;
}

void Proxy::accept() {
  os::UniqueFd coordinator(::accept4(listener_.value(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!coordinator.valid() || network_ == Network::dropped) {
    return;
  }
  if (network_ == Network::reset) {
    close_with_reset(coordinator);
    return;
  }
  if (network_ == Network::half_open) {
    forgotten_.push_back(std::move(coordinator));
    return;
  }
  os::UniqueFd agent = tcp_socket();
  const sockaddr_in address = address_of(agent_port_);
  if (::connect(agent.value(), plain(address), sizeof(address)) == 0) {
    connections_.push_back({std::move(coordinator), std::move(agent), 0, false});
  }
}

void Proxy::move_bytes(Connection& connection, bool towards_agent, std::size_t bytes_max) {
  std::array<char, 65536> buffer{};
  const os::UniqueFd& from = towards_agent ? connection.coordinator : connection.agent;
  const os::UniqueFd& to = towards_agent ? connection.agent : connection.coordinator;
  const ssize_t got =
      ::recv(from.value(), buffer.data(), std::min(buffer.size(), bytes_max), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    return;
  }
  connection.over =
      got <= 0 || !write_all(to.value(), buffer.data(), static_cast<std::size_t>(got));
  if (got > 0) {
    const auto bytes = static_cast<std::uint64_t>(got);
    connection.from_agent += towards_agent ? 0 : bytes;
    (towards_agent ? to_agent_ : from_agent_) += bytes;
  }
}

void Proxy::forward(Connection& connection, std::size_t bytes_max) {
  for (const bool towards_agent : {true, false}) {
    std::size_t bytes = bytes_max;
    if (network_ == Network::cut_short && !towards_agent) {
      bytes = std::min<std::size_t>(bytes, cut_after_ - connection.from_agent);
    }
    if (!connection.over && lets_through(towards_agent) && bytes > 0) {
      move_bytes(connection, towards_agent, bytes);
    }
    connection.over =
        connection.over || (network_ == Network::cut_short && connection.from_agent >= cut_after_);
  }
}

void Proxy::look_after_connections() {
  const std::uint64_t rate = rate_;
  const std::size_t bytes_max =
      rate == 0 ? SIZE_MAX : static_cast<std::size_t>(rate * kTickMs / 1000 + 1);
  for (Connection& connection : connections_) {
    forward(connection, bytes_max);
  }
  connections_.remove_if([](const Connection& connection) { return connection.over; });
}

void Proxy::work() {
  while (!stop_) {
    if (cut_.exchange(false)) {
      connections_.clear();
    }
    if (const Network wanted = wanted_; wanted != network_) {
      change_to(wanted);
      carried_out_ = wanted;
    }
    std::vector<pollfd> polled{{listener_.value(), POLLIN, 0}};
    for (const Connection& connection : connections_) {
      // What is held back or slow is looked at with the clock.
      if (rate_ == 0 && lets_through(true)) {
        polled.push_back({connection.coordinator.value(), POLLIN, 0});
      }
      if (rate_ == 0 && lets_through(false)) {
        polled.push_back({connection.agent.value(), POLLIN, 0});
      }
    }
    ::poll(polled.data(), polled.size(), kTickMs);
    if ((polled.front().revents & POLLIN) != 0 && network_ != Network::silent) {
      accept();
    }
    look_after_connections();
  }
}

}  // namespace mstune::test
