// Tells the service manager that started this program how it is: systemd's readiness protocol, one
// datagram to the socket that NOTIFY_SOCKET names (sd_notify(3)).
#pragma once

#include <string>
#include <string_view>

namespace mstune::os {

// The socket of this process's environment, which is taken out of it: programs that are started
// later must not speak for this one. Empty when no manager waits. Call it before any thread runs.
std::string take_notify_socket();

// "READY=1", "STOPPING=1", several by '\n'. False when it did not get there; nothing to do about
// that. Does nothing for an empty `socket`.
bool tell_service_manager(const std::string& socket, std::string_view state);

}  // namespace mstune::os
