#include "common/os/host_lookup.h"

#include <netdb.h>

#include <array>
#include <cstring>
#include <memory>
#include <string_view>

namespace mstune::os {
namespace {

constexpr std::size_t kAddressesMax = 4;

const sockaddr* plain(const Address& address) {
  return reinterpret_cast<const sockaddr*>(&address.value);  // NOLINT: the system's interface
}

}  // namespace

HostLookup look_up(const std::string& host, const std::string& port) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failure =
      ::getaddrinfo(host.c_str(), port.empty() ? nullptr : port.c_str(), &wanted, &found);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  HostLookup result;
  if (failure != 0) {
    result.may_come = failure == EAI_AGAIN || failure == EAI_MEMORY || failure == EAI_SYSTEM;
    result.failure =
        result.may_come
            ? message("host.not_looked_up",
                      "the name \"{}\" cannot be looked up at the moment ({}): does this machine's "
                      "name server answer? A host's address instead of its name needs none",
                      host, std::string(::gai_strerror(failure)))
            : message("host.unknown", "there is no host \"{}\" ({})", host,
                      std::string(::gai_strerror(failure)));
    return result;
  }
  for (const addrinfo* one = found; one != nullptr && result.addresses.size() < kAddressesMax;
       one = one->ai_next) {
    Address address;
    std::memcpy(&address.value, one->ai_addr, one->ai_addrlen);
    address.length = one->ai_addrlen;
    result.addresses.push_back(address);
  }
  return result;
}

std::optional<HostLookup> look_up_endpoint(const std::string& endpoint) {
  constexpr std::string_view kTcp = "tcp://";
  const auto colon = endpoint.rfind(':');
  if (!endpoint.starts_with(kTcp) || colon < kTcp.size()) {
    return std::nullopt;
  }
  std::string host = endpoint.substr(kTcp.size(), colon - kTcp.size());
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  return look_up(host, endpoint.substr(colon + 1));
}

std::string numeric_host(const Address& address) {
  std::array<char, NI_MAXHOST> host{};
  if (::getnameinfo(plain(address), address.length, host.data(), host.size(), nullptr, 0,
                    NI_NUMERICHOST) != 0) {
    return {};
  }
  return address.value.ss_family == AF_INET6 ? "[" + std::string(host.data()) + "]"
                                             : std::string(host.data());
}

}  // namespace mstune::os
