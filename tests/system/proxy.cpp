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

}  // namespace

Proxy::Proxy(int port) : agent_port_(port), listener_(tcp_socket()) {
  sockaddr_in address = address_of(0);
  socklen_t length = sizeof(address);
  if (::bind(listener_.value(), plain(address), sizeof(address)) != 0 ||
      ::listen(listener_.value(), 8) != 0 ||
      ::getsockname(listener_.value(),
                    reinterpret_cast<sockaddr*>(&address),  // NOLINT: as above
                    &length) != 0) {
    throw std::runtime_error("the proxy cannot listen");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { work(); });
}

Proxy::~Proxy() {
  stop_ = true;
  thread_.join();
}

bool Proxy::lets_through(bool towards_agent) const {
  switch (network_.load()) {
    case Network::whole:
      return true;
    case Network::silent:
      return false;
    case Network::only_to_agent:
      return towards_agent;
    case Network::only_from_agent:
      return !towards_agent;
  }
  return true;
}

void Proxy::accept() {
  os::UniqueFd coordinator(::accept4(listener_.value(), nullptr, nullptr, SOCK_CLOEXEC));
  os::UniqueFd agent = tcp_socket();
  const sockaddr_in address = address_of(agent_port_);
  if (coordinator.valid() && ::connect(agent.value(), plain(address), sizeof(address)) == 0) {
    connections_.push_back({std::move(coordinator), std::move(agent), false});
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
}

void Proxy::forward(Connection& connection, std::size_t bytes_max) const {
  for (const bool towards_agent : {true, false}) {
    if (!connection.over && lets_through(towards_agent)) {
      move_bytes(connection, towards_agent, bytes_max);
    }
  }
}

void Proxy::work() {
  while (!stop_) {
    if (cut_.exchange(false)) {
      connections_.clear();
    }
    const std::uint64_t rate = rate_;
    std::vector<pollfd> polled{{listener_.value(), POLLIN, 0}};
    for (const Connection& connection : connections_) {
      // What is held back or slow is looked at with the clock.
      if (rate == 0 && lets_through(true)) {
        polled.push_back({connection.coordinator.value(), POLLIN, 0});
      }
      if (rate == 0 && lets_through(false)) {
        polled.push_back({connection.agent.value(), POLLIN, 0});
      }
    }
    ::poll(polled.data(), polled.size(), kTickMs);
    if ((polled.front().revents & POLLIN) != 0 && network_ != Network::silent) {
      accept();
    }
    const std::size_t bytes_max =
        rate == 0 ? SIZE_MAX : static_cast<std::size_t>(rate * kTickMs / 1000 + 1);
    for (Connection& connection : connections_) {
      forward(connection, bytes_max);
    }
    connections_.remove_if([](const Connection& connection) { return connection.over; });
  }
}

}  // namespace mstune::test
