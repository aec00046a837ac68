#include "agent/errands.h"

#include <sys/un.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "common/error.h"
#include "common/key.h"
#include "common/language.h"
#include "common/os/clock.h"
#include "common/os/curve.h"
#include "common/os/identity.h"
#include "common/os/key_file.h"
#include "common/os/peer_probe.h"
#include "common/os/socket.h"

namespace mstune::agent {
namespace {

// A host's name as the name of a key; names of hosts have little else than names of keys.
std::string key_name() {
  std::string name = os::host_name();
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char byte) {
        return std::isalnum(byte) == 0 && byte != '.' && byte != '_' && byte != '-';
      },
      '-');
  return name.empty() || name.front() == '.' ? "agent" : name;
}

os::Address socket_address(std::string_view path) {
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  std::memcpy(local.sun_path, path.data(), std::min(path.size(), sizeof local.sun_path - 1));
  os::Address address;
  std::memcpy(&address.value, &local, sizeof local);
  address.length = sizeof local;
  return address;
}

// Where somebody on this machine reaches what listens there.
std::vector<os::Address> addresses_of(const std::string& endpoint) {
  constexpr std::string_view kLocal = "ipc://";
  if (endpoint.starts_with(kLocal)) {
    return {socket_address(std::string_view(endpoint).substr(kLocal.size()))};
  }
  const std::string port = endpoint.substr(endpoint.rfind(':'));
  std::string host = endpoint.substr(0, endpoint.size() - port.size());
  if (host == "tcp://0.0.0.0" || host == "tcp://*") {
    host = "tcp://127.0.0.1";
  } else if (host == "tcp://[::]") {
    host = "tcp://[::1]";
  }
  return os::look_up_endpoint(host + port).value_or(os::HostLookup{}).addresses;
}

ProbeResult look(const std::string& endpoint, bool with_keys) {
  os::PeerProbe probe(addresses_of(endpoint), with_keys, os::steady_now());
  for (;;) {
    if (const auto result = probe.step(os::steady_now())) {
      return *result;
    }
    os::PollSet polled;
    for (const int descriptor : probe.descriptors()) {
      polled.add(descriptor);
    }
    constexpr Duration kLook = std::chrono::milliseconds(20);  // a connection is not readable
    polled.wait(std::min(os::time_left(probe.deadline(), os::steady_now()), kLook));
  }
}

}  // namespace

std::string make_key(const std::filesystem::path& key, const std::filesystem::path& authorized) {
  const KeyPair pair = os::make_key_pair(key_name());
  const std::filesystem::path public_path = os::write_key_pair(key, pair);
  return fmt::format(
      "{}\n{}\n  {}{}\n",
      said(message("agent.secret_key_made", "secret key: {} (keep it here)", key.string())),
      said(message("agent.public_key_made", "public key: {}", public_path.string())),
      public_file_text(pair),
      said(message("agent.key_use",
                   "Its 64 digits go into \"server_key\" of target files; the .pub files of "
                   "clients go into {}.",
                   authorized.string())));
}

void probe(const std::string& endpoint, bool with_keys) {
  switch (look(endpoint, with_keys)) {
    case ProbeResult::wants_keys:
    case ProbeResult::no_keys:
      return;
    case ProbeResult::stranger:
      throw environment_error("agent.probe_stranger", "what listens at {} is no agent", endpoint);
    case ProbeResult::silent:
      throw environment_error("agent.probe_silent", "what listens at {} does not answer", endpoint);
    case ProbeResult::no_answer:
      break;
  }
  throw environment_error("agent.probe_no_answer", "no agent listens at {}", endpoint);
}

}  // namespace mstune::agent
