// The receiver's side of the transfer of files, of all coordinators at once: a pure machine.
//
// It believes nothing that a peer says: numbers, lengths and lists are checked (incoming_upload.h)
// before they reach the store, digests in the store. A session has its offers served in their
// order. When two sessions offer the same blob, one sends and the other waits for the result (and
// takes over if the first goes away). While the program of another session is measured here, an
// upload waits for a pause before it copies what the store has, and is then received slowly. It
// holds no bulk: the loop keeps the payload of a Piece beside the event and hands it to the store
// job that comes back. Its caller is the agent's server.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "common/manifest.h"
#include "common/message.h"
#include "common/time.h"
#include "protocol/gentle_pace.h"
#include "protocol/transfer_messages.h"

namespace mstune::agent {

using SessionId = std::uint64_t;  // the caller's number for a connected coordinator

namespace download {

using Incoming = std::variant<protocol::Offer, protocol::OfferPage, protocol::Withdraw>;
struct Arrived {
  SessionId session = 0;
  Incoming message;
};
struct PieceArrived {
  SessionId session = 0;
  protocol::Piece piece;
  std::uint64_t payload_bytes = 0;
};
struct SessionEnded {
  SessionId session = 0;
};
struct Tick {};
// The sessions whose programs run on this machine from now on; 0: that of one that has left.
struct Measuring {
  std::vector<SessionId> sessions;
};

// Results of store jobs. `job` is the number that the job carried.
struct LookedUp {
  std::uint64_t job = 0;
  bool whole = false;                       // the blob is there, and sound
  std::shared_ptr<const Manifest> partial;  // the list of an upload that broke off, if there is one
};
struct Opened {
  std::uint64_t job = 0;
  std::vector<bool> lacks;  // one a chunk, after what other blobs have was copied
};
struct Written {
  std::uint64_t job = 0;
};
struct Completed {
  std::uint64_t job = 0;
};
struct JobFailed {
  std::uint64_t job = 0;
  Message why;
};
using Event = std::variant<Arrived, PieceArrived, SessionEnded, Tick, Measuring, LookedUp, Opened,
                           Written, Completed, JobFailed>;

// Jobs for the store, to be done one after the other in this order (agent/store_job.h does one). A
// Close may follow others whose results nobody waits for any more.
struct LookUp {
  Digest identity;
};
struct Open {
  std::shared_ptr<const Manifest> manifest;
};
struct Write {  // with the payload of the event that it answers
  Digest identity;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};
struct Complete {
  Digest identity;
};
struct Close {  // nobody sends any more; what arrived is kept. Has no result.
  Digest identity;
};
struct StoreJob {
  std::uint64_t job = 0;
  std::variant<LookUp, Open, Write, Complete, Close> what;
};

using Outgoing = std::variant<protocol::ListRequest, protocol::Need, protocol::Taken,
                              protocol::Stored, protocol::Waiting, protocol::Refused>;
struct Send {
  SessionId session = 0;
  Outgoing message;
};
using Action = std::variant<Send, StoreJob>;

struct Options {
  std::uint64_t window_bytes = protocol::kTransferWindowBytes;
  Duration silence_max = std::chrono::seconds(30);  // of a sender whose turn it is
  Duration waiting_every = std::chrono::seconds(2);
  std::size_t offers_max = 8;  // open in one session
  // While another session's program is measured: a piece is granted each period (16 MiB/s), and a
  // pause is waited for so long.
  Duration gentle_period = protocol::kGentlePeriod;
  Duration hold_max = std::chrono::seconds(10);
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
  [[nodiscard]] bool finished() const;       // nothing is under way

 private:
  class State;

  std::unique_ptr<State> state_;
};

}  // namespace download
}  // namespace mstune::agent
