#include "agent/pass_pieces.h"

#include <utility>

#include "common/error.h"

namespace mstune::agent {
namespace {

constexpr std::size_t kArrivingMax = 16;

}  // namespace

std::optional<std::string> PassPieces::add(const std::string& campaign,
                                           const protocol::ManagePass& request,
                                           std::string payload) {
  if (request.size == 0) {
    return payload;
  }
  if (request.size > protocol::kPassBytesMax) {
    throw protocol_error("pass.too_large_here", "a tuning pass of {} is too large: at most {}",
                         size_text(request.size), size_text(protocol::kPassBytesMax));
  }
  if (request.offset == 0) {
    arriving_.erase(campaign);
    if (arriving_.size() >= kArrivingMax) {
      throw protocol_error("agent.too_many_questions", "too many questions wait: ask again");
    }
  }
  std::string& library = arriving_[campaign];
  if (request.offset != library.size() || payload.empty() ||
      payload.size() > request.size - library.size()) {
    arriving_.erase(campaign);
    throw protocol_error("agent.pass_piece_lost",
                         "a piece of the tuning pass did not arrive: send it again");
  }
  library += payload;
  if (library.size() < request.size) {
    return std::nullopt;
  }
  std::string whole = std::move(library);
  arriving_.erase(campaign);
  return whole;
}

}  // namespace mstune::agent
