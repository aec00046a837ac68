// Connections that were accepted and have not said anything yet, so that strangers who connect and
// stay silent cannot use up this process's descriptors. Pure.
//
// libzmq has no limit of its own for what it accepts. Beyond a number of silent connections the
// oldest are to be shut down: who means it has said hello long before.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace mstune::agent {

struct SilentConnection {
  int descriptor = -1;
  std::string peer;  // its address, to be compared before the descriptor is touched
};

class HalfOpen {
 public:
  explicit HalfOpen(std::size_t most) : most_(most) {}

  void accepted(SilentConnection connection);
  // A message came from it.
  void heard(int descriptor) { forget(descriptor); }
  void closed(int descriptor) { forget(descriptor); }

  // Those that are too many, the oldest first; they count no more.
  std::vector<SilentConnection> take_too_many();

  [[nodiscard]] std::size_t size() const { return silent_.size(); }

 private:
  void forget(int descriptor);

  std::size_t most_;
  std::deque<SilentConnection> silent_;  // oldest first
};

}  // namespace mstune::agent
