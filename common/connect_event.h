// What became of an attempt to connect, as a socket sees it.
#pragma once

namespace mstune {

enum class ConnectEvent {
  no_answer,        // nothing listens there, or the network does not reach it
  shut_out,         // the other end is who it should be and does not let this key in
  no_handshake,     // closed in the middle: a wrong pinned key, or no ZeroMQ at all
  other_mechanism,  // one end has keys and the other has none
  connected,
};

}  // namespace mstune
