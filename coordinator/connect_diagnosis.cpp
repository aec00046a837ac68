#include "coordinator/connect_diagnosis.h"

namespace mstune::coordinator {
namespace {

// An agent that is just ending breaks off one or two; a wrong key breaks off every one.
constexpr int kFailedHandshakesMax = 5;

}  // namespace

std::optional<Message> ConnectDiagnosis::handle(ConnectEvent event) {
  switch (event) {
    case ConnectEvent::no_answer:
      return std::nullopt;
    case ConnectEvent::connected:
      failed_handshakes_ = 0;
      return std::nullopt;
    case ConnectEvent::shut_out:
      return message("connection.not_authorized",
                     "the agent at {} does not let the key \"{}\" in: give its .pub file to the "
                     "agent's owner, who adds it to the list of authorized clients",
                     endpoint_, client_);
    case ConnectEvent::other_mechanism:  // ZeroMQ does not try again
      return client_.empty()
                 ? message("connection.agent_wants_keys",
                           "the agent at {} wants keys: put its public key into \"server_key\" of "
                           "the target file instead of \"insecure\"",
                           endpoint_)
                 : message("connection.agent_has_no_keys",
                           "the agent at {} was started with --insecure, and the target file names "
                           "a \"server_key\": start it with its key",
                           endpoint_);
    case ConnectEvent::no_handshake:
      break;
  }
  if (++failed_handshakes_ < kFailedHandshakesMax) {
    return std::nullopt;
  }
  return client_.empty()
             ? message("connection.not_an_agent",
                       "what listens at {} wants keys, or is no agent of mstune: put the agent's "
                       "public key into \"server_key\" of the target file instead of "
                       "\"insecure\", and look whether the port is right",
                       endpoint_)
             : message("connection.wrong_server_key",
                       "what listens at {} does not have the key that the target file pins: does "
                       "\"server_key\" match what the agent prints when it starts, and is it an "
                       "agent at all?",
                       endpoint_);
}

}  // namespace mstune::coordinator
