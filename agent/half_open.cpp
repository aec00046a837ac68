#include "agent/half_open.h"

#include <utility>

namespace mstune::agent {

void HalfOpen::forget(int descriptor) {
  std::erase_if(silent_, [&](const SilentConnection& connection) {
    return connection.descriptor == descriptor;
  });
}

// The number of one that was closed is given out again.
void HalfOpen::accepted(SilentConnection connection) {
  forget(connection.descriptor);
  silent_.push_back(std::move(connection));
}

std::vector<SilentConnection> HalfOpen::take_too_many() {
  std::vector<SilentConnection> too_many;
  while (silent_.size() > most_) {
    too_many.push_back(std::move(silent_.front()));
    silent_.pop_front();
  }
  return too_many;
}

}  // namespace mstune::agent
