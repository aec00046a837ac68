// Libraries of the tuning pass that arrive in pieces, one of each campaign. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "protocol/box_messages.h"

namespace mstune::agent {

class PassPieces {
 public:
  // Takes a piece; the library with the last one. A piece at 0 begins anew. Throws a protocol error
  // for a library beyond kPassBytesMax and for a piece that does not follow the last one.
  std::optional<std::string> add(const std::string& campaign, const protocol::ManagePass& request,
                                 std::string payload);
  // What came from this campaign is not gone on with.
  void forget(const std::string& campaign) { arriving_.erase(campaign); }

 private:
  std::map<std::string, std::string> arriving_;  // by campaign
};

}  // namespace mstune::agent
