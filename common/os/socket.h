// The ZeroMQ sockets of this project: an agent's ROUTER, a coordinator's DEALER, and the one place
// where both programs wait.
//
// All messages have a header frame and may have a payload frame. Sending never waits. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/connect_event.h"
#include "common/os/curve.h"
#include "common/time.h"

namespace mstune::os {

struct Frames {
  std::string peer;  // who sent it, or shall get it; a ROUTER's only
  std::string header;
  std::string payload;
  std::string user = {};  // received with ListenSecurity: the name that the ZapHandler's judge gave
  int descriptor = -1;    // received by a ROUTER: of the connection, as AcceptEvent has it
};

// A connection that a ROUTER accepted, or that is over.
struct AcceptEvent {
  int descriptor = -1;
  bool open = false;
  std::string peer;  // the address of its other end; of an open one
};

struct SocketLimits {
  std::int64_t frame_bytes_max = 2 * 1024 * 1024;  // a larger one closes the connection
  int messages_max = 1024;                         // waiting in one direction, for one peer
};

class Socket {
 public:
  // Binds a ROUTER; with `security` only callers that the ZapHandler's judge names come in. Throws
  // an environment error "socket.cannot_bind".
  static Socket listen(const std::string& endpoint, const std::optional<ListenSecurity>& security,
                       const SocketLimits& limits = {});
  // Connects a DEALER; returns at once and reconnects by itself. Throws a usage error
  // "socket.bad_endpoint".
  static Socket connect(const std::string& endpoint, const std::optional<ConnectSecurity>& security,
                        const SocketLimits& limits = {});

  Socket(Socket&&) noexcept;
  Socket& operator=(Socket&&) noexcept;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket();

  // Drops its connection, whatever waits there in either direction, and begins another one. For a
  // DEALER, where ZeroMQ waits for a peer that is not behind it any more.
  void connect_anew();

  // False when the message was not taken: the peer is gone or too much waits for it.
  bool send(const Frames& frames);

  // The next message; nothing when none waits. One with a wrong number of frames is dropped.
  std::optional<Frames> receive();

  // The next thing that became of connecting; nothing when there is none. A DEALER's only.
  std::optional<ConnectEvent> next_connect_event();

  // The next connection that came or went; nothing when there is none. A ROUTER's only.
  std::optional<AcceptEvent> next_accept_event();

  // The address that was bound, with the port that the system chose.
  [[nodiscard]] std::string endpoint() const;

 private:
  friend class PollSet;
  struct State;
  explicit Socket(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

// "203.0.113.7:4711" of the other end of a connected TCP socket; empty where there is none.
std::string peer_address(int descriptor);

// Ends a connection of a ROUTER if it is still this peer's: libzmq then closes it.
void shut_down(int descriptor, const std::string& peer);

// What one wait looks at. Made anew for each wait.
class PollSet {
 public:
  PollSet();
  ~PollSet();
  PollSet(const PollSet&) = delete;
  PollSet& operator=(const PollSet&) = delete;

  void add(const Socket& socket);
  void add(const ZapHandler& handler);
  // Negative descriptors are left out.
  void add(int descriptor);

  // Waits until one of them can be read, at most `wait`. Signals do not end it: poll their
  // descriptor.
  void wait(Duration wait);

  // What the last wait saw. Asking a socket or a descriptor that is not readable costs system
  // calls.
  [[nodiscard]] bool readable(int descriptor) const;
  [[nodiscard]] bool readable(const Socket& socket) const;

 private:
  struct Items;
  std::unique_ptr<Items> items_;
};

}  // namespace mstune::os
