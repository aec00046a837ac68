#include "common/os/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <doctest/doctest.h>

#include "common/os/descriptor.h"
#include "common/os/file.h"

namespace mstune::os {
namespace {

namespace fs = std::filesystem;

// What a service manager would have received at a socket of this name.
std::string received(const std::string& name, const std::string& state, bool& sent) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.data(), name.size());
  if (name.front() == '@') {
    address.sun_path[0] = '\0';
  }
  const UniqueFd manager(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  REQUIRE(::bind(manager.value(), reinterpret_cast<const sockaddr*>(&address),
                 static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size())) == 0);
  sent = tell_service_manager(name, state);
  std::array<char, 256> buffer{};
  const auto length = ::recv(manager.value(), buffer.data(), buffer.size(), 0);
  return length < 0 ? "" : std::string(buffer.data(), static_cast<std::size_t>(length));
}

TEST_CASE("service manager: a state arrives as one datagram, by path and by abstract name") {
  const fs::path directory = make_unique_directory("/tmp", "mstune-notify-");
  bool sent = false;
  CHECK(received((directory / "socket").string(), "READY=1\nSTATUS=x", sent) ==
        "READY=1\nSTATUS=x");
  CHECK(sent);
  CHECK(received("@" + directory.string(), "STOPPING=1", sent) == "STOPPING=1");
  CHECK(sent);
  remove_tree(directory);
}

TEST_CASE("service manager: nobody who waits, or no usable name, is no error") {
  CHECK_FALSE(tell_service_manager("", "READY=1"));
  CHECK_FALSE(tell_service_manager("/nonexistent/socket", "READY=1"));
  CHECK_FALSE(tell_service_manager("vsock:2:9", "READY=1"));
  CHECK_FALSE(tell_service_manager("/" + std::string(107, 'a'), "READY=1"));
}

TEST_CASE("service manager: the variable is taken, so that no child speaks for us") {
  ::setenv("NOTIFY_SOCKET", "/run/x", 1);
  CHECK(take_notify_socket() == "/run/x");
  CHECK(std::getenv("NOTIFY_SOCKET") == nullptr);
  CHECK(take_notify_socket().empty());
}

}  // namespace
}  // namespace mstune::os
