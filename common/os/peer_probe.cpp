#include "common/os/peer_probe.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "common/zmtp_greeting.h"

namespace mstune::os {
namespace {

// Signature and version: what makes a peer say all of its own greeting. One that reads another
// mechanism than its own ends the connection at once, and its greeting may be lost with it.
constexpr std::size_t kOpeningBytes = 12;
// Two round trips of a slow way.
constexpr Duration kProbeMax = std::chrono::milliseconds(2500);

// Empty where the system does not even begin.
UniqueFd begin_to_connect(const Address& address) {
  UniqueFd socket(::socket(address.value.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto* plain =
      reinterpret_cast<const sockaddr*>(&address.value);  // NOLINT: the system's interface
  if (socket.valid() && ::connect(socket.value(), plain, address.length) != 0 &&
      errno != EINPROGRESS) {
    socket.reset();
  }
  return socket;
}

bool is_connected(int socket) {
  pollfd polled{socket, POLLOUT, 0};
  return ::poll(&polled, 1, 0) == 1 && (polled.revents & POLLOUT) != 0 &&
         (polled.revents & POLLERR) == 0;
}

// What became of an attempt that is over before anything was said; nothing while it goes on. Taken
// and reset is as good as silent.
std::optional<ProbeResult> failure_of(int socket) {
  pollfd polled{socket, POLLOUT, 0};
  if (::poll(&polled, 1, 0) != 1 || (polled.revents & POLLERR) == 0) {
    return std::nullopt;
  }
  int error = 0;
  socklen_t size = sizeof(error);
  ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  return error == ECONNRESET || error == EPIPE ? ProbeResult::silent : ProbeResult::no_answer;
}

}  // namespace

PeerProbe::PeerProbe(const std::vector<Address>& addresses, bool with_keys, TimePoint now)
    : greeting_(zmtp_greeting(with_keys).substr(0, kOpeningBytes)),
      deadline_(after(now, kProbeMax)) {
  for (const Address& address : addresses) {
    if (UniqueFd socket = begin_to_connect(address); socket.valid()) {
      attempts_.push_back({std::move(socket), false, {}});
    }
  }
}

std::vector<int> PeerProbe::descriptors() const {
  std::vector<int> all;
  std::transform(attempts_.begin(), attempts_.end(), std::back_inserter(all),
                 [](const Attempt& attempt) { return attempt.socket.value(); });
  return all;
}

// The other end says the first bytes of its greeting by itself, so that being readable is enough to
// wait for.
std::optional<ProbeResult> PeerProbe::step(Attempt& attempt, const std::string& greeting) {
  const int socket = attempt.socket.value();
  if (!attempt.greeted) {
    if (!is_connected(socket)) {
      return failure_of(socket);
    }
    attempt.greeted = true;
    static_cast<void>(::send(socket, greeting.data(), greeting.size(), MSG_NOSIGNAL));
  }
  std::array<char, 256> buffer{};
  const ssize_t got = ::recv(socket, buffer.data(), buffer.size(), 0);
  if (got > 0) {
    attempt.received.append(buffer.data(), static_cast<std::size_t>(got));
    return judge_greeting(attempt.received);
  }
  return got < 0 && (errno == EAGAIN || errno == EINTR) ? std::nullopt
                                                        : std::optional(ProbeResult::silent);
}

std::optional<ProbeResult> PeerProbe::step(TimePoint now) {
  for (std::size_t at = 0; at < attempts_.size();) {
    const auto result = step(attempts_[at], greeting_);
    if (!result) {
      ++at;
      continue;
    }
    if (*result != ProbeResult::no_answer && *result != ProbeResult::silent) {
      return result;
    }
    worst_ = std::max(worst_, *result);
    attempts_.erase(attempts_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  if (attempts_.empty()) {
    return worst_;
  }
  if (now < deadline_) {
    return std::nullopt;
  }
  const bool accepted = std::any_of(attempts_.begin(), attempts_.end(),
                                    [](const Attempt& attempt) { return attempt.greeted; });
  return accepted ? ProbeResult::silent : worst_;
}

}  // namespace mstune::os
