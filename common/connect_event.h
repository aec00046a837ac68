// What became of an attempt to connect, as a socket sees it, and of a plain look at the address.
#pragma once

namespace mstune {

enum class ConnectEvent {
  no_answer,        // nothing listens there, or the network does not reach it
  shut_out,         // the other end is who it should be and does not let this key in
  no_handshake,     // closed in the middle: a wrong pinned key, no ZeroMQ at all, or a broken way
  other_mechanism,  // one end has keys and the other has none
  connected,
  broken,  // what was connected, or about to be, is not any more
};

// Of a plain TCP connection that greets and waits for the other end's greeting.
enum class ProbeResult {
  no_answer,   // it did not come about
  silent,      // it did, and ended or went on without a whole greeting
  wants_keys,  // an agent, or whatever else speaks ZeroMQ with CURVE
  no_keys,     // the same without
  stranger,    // something that speaks otherwise
};

}  // namespace mstune
