#include "agent/incoming_upload.h"

#include "common/chunker.h"

namespace mstune::agent::download {

Error breach(std::string_view what) {
  return protocol_error("transfer.sender_breach",
                        "the coordinator broke the transfer protocol ({}): are both programs of "
                        "one release?",
                        what);
}

Upload read_offer(SessionId session, const protocol::Offer& offer) {
  const auto identity = parse_raw_digest(offer.identity.value);
  if (!identity) {
    throw breach("an identity of another length");
  }
  if (offer.size > kFileSizeMax || offer.chunks > kChunksMax) {
    throw protocol_error("file.too_large_to_send",
                         "a file of more than {} or {} chunks cannot be sent",
                         size_text(kFileSizeMax), kChunksMax);
  }
  if (offer.chunks > offer.size || offer.size > offer.chunks * kChunkMax) {
    throw breach("a number of chunks that does not fit the size");
  }
  Upload upload;
  upload.session = session;
  upload.number = offer.upload;
  upload.identity = *identity;
  upload.size = offer.size;
  upload.chunks = offer.chunks;
  return upload;
}

void add_page(Upload& upload, const protocol::OfferPage& page) {
  const std::size_t count = page.lengths.size();
  if (page.first != upload.list.chunks() || count == 0 || count > protocol::kOfferPageChunks ||
      page.digests.value.size() != count * kDigestSize || count > upload.chunks - page.first) {
    throw breach("a page of chunks that was not asked for");
  }
  const std::string_view digests = page.digests.value;
  for (std::size_t i = 0; i < count; ++i) {
    upload.list.add(parse_raw_digest(digests.substr(i * kDigestSize, kDigestSize)).value(),
                    page.lengths[i]);
  }
  if (upload.list.size() > upload.size) {
    throw breach("chunks beyond the size");
  }
}

void check_piece(const Upload& upload, const protocol::Piece& piece, std::uint64_t bytes,
                 std::uint64_t window) {
  if (upload.phase != Phase::receiving || piece.count == 0 || piece.first > upload.chunks ||
      piece.count > upload.chunks - piece.first) {
    throw breach("a piece that was not asked for");
  }
  for (std::uint64_t i = piece.first; i < piece.first + piece.count; ++i) {
    if (!upload.lacks[i]) {
      throw breach("a chunk that was not asked for");
    }
  }
  if (bytes > protocol::kPieceBytesMax ||
      bytes != length_of(*upload.manifest, piece.first, piece.count)) {
    throw breach("a piece of another length");
  }
  if (upload.arrived - upload.told + bytes > window) {
    throw breach("more bytes than granted");
  }
}

}  // namespace mstune::agent::download
