// How large what crosses the wire may be. Both sides know these figures; README.md has them too.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mstune::protocol {

inline constexpr std::size_t kRequestBytesMax = std::size_t{256} * 1024;  // of a header
// What an agent's socket takes from whoever knocks, before a key is known: a header or a payload
// and what CURVE puts around it, and no more. Strangers can make a socket keep as much for each of
// their connections.
inline constexpr std::int64_t kFrameBytesMax = std::int64_t{260} * 1024;
static_assert(kFrameBytesMax > std::int64_t{kRequestBytesMax});
inline constexpr std::size_t kPayloadBytesMax = std::size_t{256} * 1024;
// Agents of version 1 may send so much; later ones stay within kRequestBytesMax.
inline constexpr std::size_t kReportBytesMax = std::size_t{1024} * 1024;

// Entries of one OfferPage at the most: 32 + 5 bytes each keep a page below 152 KiB.
inline constexpr std::uint64_t kOfferPageChunks = 4096;
// Payload of one Piece at the most.
inline constexpr std::uint64_t kPieceBytesMax = kPayloadBytesMax;
// Payload that may be under way and not yet taken; a receiver may grant less.
inline constexpr std::uint64_t kTransferWindowBytes = 16 * kPieceBytesMax;

// A tuning pass that travels, in pieces of kPayloadBytesMax.
inline constexpr std::uint64_t kPassBytesMax = std::uint64_t{1024} * 1024;

// GE's EVENT lines of one attempt: so many, and so many bytes of each.
inline constexpr std::size_t kEventLinesMax = 1024;
inline constexpr std::size_t kEventLineBytesMax = 1024;

// Of one Exited.
inline constexpr std::size_t kFactsMax = 128;
inline constexpr std::size_t kFactNameBytesMax = 64;
inline constexpr std::size_t kFactTextBytesMax = 1024;
inline constexpr std::size_t kFactsBytesMax = std::size_t{64} * 1024;  // names and texts
inline constexpr std::size_t kFilesBytesMax = std::size_t{96} * 1024;  // of all paths, and 32 each
inline constexpr std::size_t kTailBytesMax = std::size_t{16} * 1024;

}  // namespace mstune::protocol
