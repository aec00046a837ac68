// A look at who greets behind an address: a plain TCP connection that waits for nobody.
//
// It says whether a whole way leads to something that speaks ZeroMQ now. Whether that is the right
// one, only its key can tell.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/connect_event.h"
#include "common/os/descriptor.h"
#include "common/os/host_lookup.h"
#include "common/time.h"

namespace mstune::os {

class PeerProbe {
 public:
  // Begins to connect to all addresses at once: the first that greets counts.
  PeerProbe(const std::vector<Address>& addresses, bool with_keys, TimePoint now);

  // To be called when a descriptor is readable, and at the deadline; once it has given a result it
  // is over.
  std::optional<ProbeResult> step(TimePoint now);

  [[nodiscard]] std::vector<int> descriptors() const;
  [[nodiscard]] TimePoint deadline() const { return deadline_; }

 private:
  struct Attempt {
    UniqueFd socket;
    bool greeted = false;  // the other end has accepted, and our greeting is with the system
    std::string received;
  };

  static std::optional<ProbeResult> step(Attempt& attempt, const std::string& greeting);

  std::vector<Attempt> attempts_;
  std::string greeting_;
  ProbeResult worst_ = ProbeResult::no_answer;  // of the attempts that are over
  TimePoint deadline_;
};

}  // namespace mstune::os
