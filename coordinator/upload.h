// The sender's side of the transfer of files to one agent: a pure machine.
//
// Files go up in the order in which they were submitted, one at a time, so that the chunks of one
// are there when its siblings are offered; the next one's offer already waits at the receiver. Each
// agent has a machine of its own, and these work side by side. It holds no bulk: the loop reads a
// piece and sends it in one action. Its caller is the coordinator's session.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "common/manifest.h"
#include "common/message.h"
#include "common/time.h"
#include "protocol/transfer_messages.h"

namespace mstune::coordinator {

using FileId = std::uint64_t;  // the caller's number for a file

namespace upload {

struct Submitted {
  FileId file = 0;
  std::shared_ptr<const Manifest> manifest;
};
struct Cancelled {
  FileId file = 0;
};
struct Connected {};
struct Disconnected {};
struct ReadFailed {  // a SendPiece could not be carried out
  std::uint64_t upload = 0;
  Message why;
};
struct Tick {};
using Event = std::variant<Submitted, Cancelled, Connected, Disconnected, ReadFailed, Tick,
                           protocol::ListRequest, protocol::Need, protocol::Taken, protocol::Stored,
                           protocol::Waiting, protocol::Refused>;

using Outgoing = std::variant<protocol::Offer, protocol::OfferPage, protocol::Withdraw>;
struct Send {
  Outgoing message;
};
// Read `length` bytes at `offset` of the file and send them behind `piece`; in the order in which
// these were asked for. One that comes too late is passed over by the receiver.
struct SendPiece {
  FileId file = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  protocol::Piece piece;
};
struct Uploaded {
  FileId file = 0;
};
struct Failed {
  FileId file = 0;
  Message why;
};
using Action = std::variant<Send, SendPiece, Uploaded, Failed>;

struct Options {
  std::uint64_t window_bytes = protocol::kTransferWindowBytes;  // at least kPieceBytesMax
  Duration silence_max = std::chrono::seconds(30);  // while connected and waiting for the agent
  Duration upload_timeout = Duration::max();        // of one file since its turn came
  std::uint64_t offers_ahead = 2;                   // offers open at a time, 1 or more
};

struct Progress {
  FileId file = 0;
  std::uint64_t size = 0;     // bytes
  std::uint64_t present = 0;  // bytes that the agent is known to have
  std::uint64_t sent = 0;     // bytes of payload since it was submitted
};

class Machine {
 public:
  explicit Machine(const Options& options);
  ~Machine();
  Machine(Machine&&) noexcept;
  Machine& operator=(Machine&&) noexcept;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  std::vector<Action> handle(const Event& event, TimePoint now);
  [[nodiscard]] TimePoint deadline() const;  // hand in a Tick then at the latest
  [[nodiscard]] bool finished() const;       // no file is waiting or under way

  // Of the files that are under way or waiting, in their order.
  [[nodiscard]] std::vector<Progress> progress() const;

  // Bytes of payload since the beginning, of all files.
  [[nodiscard]] std::uint64_t bytes_sent() const;

 private:
  class State;

  std::unique_ptr<State> state_;
};

}  // namespace upload
}  // namespace mstune::coordinator
