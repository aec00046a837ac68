// The addresses behind a host's name.
#pragma once

#include <sys/socket.h>

#include <optional>
#include <string>
#include <vector>

#include "common/message.h"

namespace mstune::os {

struct Address {
  sockaddr_storage value{};
  socklen_t length = 0;
};

struct HostLookup {
  std::vector<Address> addresses;  // at most four
  Message failure;                 // text is empty where there are some
  bool may_come = false;           // the failure is one of the moment
};

// Asks the system, which may take seconds where a name server does not answer. `host` is a name or
// an address without brackets; `port` may be empty.
HostLookup look_up(const std::string& host, const std::string& port);

// "tcp://HOST:PORT", as a target's endpoint is written; nothing for other transports.
std::optional<HostLookup> look_up_endpoint(const std::string& endpoint);

// "127.0.0.1" or "[::1]".
std::string numeric_host(const Address& address);

}  // namespace mstune::os
