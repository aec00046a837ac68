// A file that is being received, and what may be believed of what its sender says.
//
// Numbers, lengths and lists are checked here before they reach the store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "agent/download.h"
#include "common/error.h"
#include "common/manifest.h"
#include "common/time.h"
#include "protocol/transfer_messages.h"

namespace mstune::agent::download {

enum class Phase {
  queued,      // its turn has not come: earlier offers of its session, or another is sending this
  looking,     // the store says whether it has the blob
  listing,     // the list of chunks is arriving
  held,        // a pause between the trials of others is waited for
  opening,     // the store copies what it has
  receiving,   // the chunks that it lacks are arriving
  completing,  // the store makes a blob of it
};

struct Upload {
  SessionId session = 0;
  std::uint64_t number = 0;
  Digest identity;
  std::uint64_t size = 0;
  std::uint64_t chunks = 0;
  Phase phase = Phase::queued;
  TimePoint heard;  // the sender's last sign of life, or the end of our own work for it
  ManifestBuilder list;
  std::shared_ptr<const Manifest> manifest;
  std::vector<bool> lacks;  // asked for, and not arrived
  std::size_t lacking = 0;  // how many
  std::uint64_t arrived = 0;
  std::uint64_t taken = 0;
  std::uint64_t told = 0;     // of `taken`: what the sender knows and may follow up
  TimePoint held_until = {};  // in the phase `held`, at the longest

  // Whether the next move is the sender's.
  [[nodiscard]] bool waits_for_sender() const {
    return (phase == Phase::listing || phase == Phase::receiving) && arrived == taken &&
           told == taken;
  }
};

// The sender did what no sender of this release does.
Error breach(std::string_view what);

// What can be told from an offer alone. Throws a protocol error.
Upload read_offer(SessionId session, const protocol::Offer& offer);

// Adds a page to the list of an upload. Throws a protocol error.
void add_page(Upload& upload, const protocol::OfferPage& page);

// Throws a protocol error for a piece that was not asked for or granted. `window` is in bytes.
void check_piece(const Upload& upload, const protocol::Piece& piece, std::uint64_t bytes,
                 std::uint64_t window);

}  // namespace mstune::agent::download
