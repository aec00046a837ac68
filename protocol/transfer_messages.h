// What sender and receiver of a file tell each other. Plain data; the codec is elsewhere.
//
//   sender                                receiver
//   Offer            ─────────────▶      has the blob: Stored, and no more is said
//                    ◀─────────────      ListRequest, unless it knows the list from before
//   OfferPage        ─────────────▶      ... until the list is whole
//                    ◀─────────────      Need: which chunks it lacks, and the window
//   Piece + payload  ─────────────▶      Taken: so many bytes are written, send on
//                    ◀─────────────      Stored: every digest was right, the blob counts
//
// At any time the receiver may send Waiting (still alive, nothing to do for you now) and Refused
// (it is over), the sender Withdraw. After a lost connection the sender offers again under a new
// number; what arrived is not asked for again. A message with a number that its receiver does not
// know belongs to an upload that is over, and is passed over.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/messages.h"

namespace mstune::protocol {

struct Offer {
  std::uint64_t upload = 0;  // counts up within a session; a repeated offer has a new one
  Bytes identity;            // 32 bytes: the digest over the list of chunks
  std::uint64_t size = 0;    // of the file, in bytes
  std::uint64_t chunks = 0;  // length of the list; 0 only for a file of zero bytes
};

struct ListRequest {
  std::uint64_t upload = 0;
  std::uint64_t first = 0;  // the number of the first chunk that is wanted
};

struct OfferPage {
  std::uint64_t upload = 0;
  std::uint64_t first = 0;
  Bytes digests;                       // 32 bytes a chunk
  std::vector<std::uint32_t> lengths;  // bytes, 1 .. 256 Ki; as many as digests
};

struct Need {
  std::uint64_t upload = 0;
  // One bit a chunk, chunk i in bit i % 8 (of value 1 << i % 8) of byte i / 8; set: it is lacking.
  Bytes lacks;
  std::uint64_t window_bytes = 0;
};

// Goes with a payload: the bytes of `count` chunks from `first` on, one after the other.
struct Piece {
  std::uint64_t upload = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

struct Taken {
  std::uint64_t upload = 0;
  std::uint64_t bytes = 0;  // of payload, in all since the offer
};

struct Stored {
  std::uint64_t upload = 0;
};

struct Waiting {
  std::uint64_t upload = 0;
};

struct Refused {
  std::uint64_t upload = 0;
  Message why;
};

struct Withdraw {
  std::uint64_t upload = 0;
};

}  // namespace mstune::protocol
