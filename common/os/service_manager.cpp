#include "common/os/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "common/os/descriptor.h"

namespace mstune::os {

std::string take_notify_socket() {
  const char* value = std::getenv("NOTIFY_SOCKET");  // NOLINT(concurrency-mt-unsafe)
  std::string socket = value == nullptr ? "" : value;
  ::unsetenv("NOTIFY_SOCKET");
  return socket;
}

bool tell_service_manager(const std::string& socket, std::string_view state) {
  sockaddr_un address{};
  if (socket.empty() || socket.size() >= sizeof address.sun_path ||
      (socket.front() != '/' && socket.front() != '@')) {
    return false;
  }
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket.data(), socket.size());
  if (socket.front() == '@') {
    address.sun_path[0] = '\0';  // an abstract name, which its length ends
  }
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket.size());
  const UniqueFd descriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return descriptor.valid() && ::sendto(descriptor.value(), state.data(), state.size(),
                                        MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address),
                                        length) == static_cast<ssize_t>(state.size());
}

}  // namespace mstune::os
