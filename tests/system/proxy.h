// A network between a coordinator and an agent that fails as asked: held back, halved, cut, slow.
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
  whole,           // everything goes through
  silent,          // nothing does, in neither direction, and nobody is told: a pulled cable
  only_to_agent,   // what the agent says is held back
  only_from_agent  // what the agent hears is held back
};

class Proxy {
 public:
  explicit Proxy(int port);
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  [[nodiscard]] int port() const { return port_; }

  void become(Network network) { network_ = network; }
  // Closes every connection; new ones are taken at once.
  void cut() { cut_ = true; }
  // At most so many bytes a second in each direction of a connection; 0: without a bound.
  void limit_rate(std::uint64_t bytes_per_second) { rate_ = bytes_per_second; }

 private:
  struct Connection {
    os::UniqueFd coordinator;
    os::UniqueFd agent;
    bool over = false;
  };

  void work();
  void accept();
  void forward(Connection& connection, std::size_t bytes_max) const;
  [[nodiscard]] bool lets_through(bool towards_agent) const;
  static void move_bytes(Connection& connection, bool towards_agent, std::size_t bytes_max);

  int agent_port_;
  int port_ = 0;
  os::UniqueFd listener_;
  std::list<Connection> connections_;
  std::atomic<Network> network_{Network::whole};
  std::atomic<bool> cut_{false};
  std::atomic<std::uint64_t> rate_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace mstune::test
