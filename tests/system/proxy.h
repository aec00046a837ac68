// A network between a coordinator and an agent that fails as asked: held back, halved, refused,
// dropped, reset, half open, cut at a byte, slow.
//
// Listens on a port of this machine and forwards every connection to another one. A thread of its
// own does it; what it should do is changed from outside at any time.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <thread>

#include "common/os/descriptor.h"

namespace mstune::test {

enum class Network : int {
  whole,            // everything goes through
  silent,           // nothing does, in neither direction, and nobody is told: a pulled cable
  only_to_agent,    // what the agent says is held back
  only_from_agent,  // what the agent hears is held back
  refused,          // nobody listens; what was connected is closed
  dropped,          // what was connected is closed, and so is what connects, at once
  reset,            // the same, with a reset
  half_open,  // the agent's ends are closed, the coordinator is never told: what was connected
              // stays silent for ever, and so does what connects
  cut_short,  // every connection is closed when so many bytes have come from the agent
};

class Proxy {
 public:
  explicit Proxy(int port);
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  [[nodiscard]] int port() const { return port_; }

  // Returns when it is so.
  void become(Network network);
  // Closes every connection; new ones are taken at once.
  void cut() { cut_ = true; }
  // At most so many bytes a second in each direction of a connection; 0: without a bound.
  void limit_rate(std::uint64_t bytes_per_second) { rate_ = bytes_per_second; }
  // That went through so far, of all connections together.
  [[nodiscard]] std::uint64_t bytes_to_agent() const { return to_agent_; }
  [[nodiscard]] std::uint64_t bytes_from_agent() const { return from_agent_; }
  // For cut_short.
  void cut_after(std::uint64_t bytes) { cut_after_ = bytes; }

 private:
  struct Connection {
    os::UniqueFd coordinator;
    os::UniqueFd agent;
    std::uint64_t from_agent = 0;  // bytes
    bool over = false;
  };

  void work();
  void change_to(Network network);
  void listen();
  void accept();
  void look_after_connections();
  void forward(Connection& connection, std::size_t bytes_max);
  [[nodiscard]] bool lets_through(bool towards_agent) const;
  void move_bytes(Connection& connection, bool towards_agent, std::size_t bytes_max);

  int agent_port_;
  int port_ = 0;
  os::UniqueFd listener_;  // not valid while refused
  std::list<Connection> connections_;
  std::list<os::UniqueFd> forgotten_;  // the coordinator's ends of half open ones
  Network network_ = Network::whole;   // as the thread carries it out
  std::atomic<Network> wanted_{Network::whole};
  std::atomic<Network> carried_out_{Network::whole};
  std::atomic<bool> cut_{false};
  std::atomic<std::uint64_t> rate_{0};
  std::atomic<std::uint64_t> cut_after_{0};
  std::atomic<std::uint64_t> to_agent_{0};
  std::atomic<std::uint64_t> from_agent_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace mstune::test
