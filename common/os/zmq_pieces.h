// What the ZeroMQ sources share. Only they include it.
#pragma once

#include <zmq.hpp>

#include "common/os/curve.h"

namespace mstune::os {

inline constexpr const char* kZapDomain = "mstune";

// One context for the process: closing it waits for the lingering of its sockets.
zmq::context_t& context();

struct ZapHandler::State {
  zmq::socket_t socket;
};

}  // namespace mstune::os
