#include "coordinator/connect_diagnosis.h"

#include <doctest/doctest.h>

namespace mstune::coordinator {
namespace {

// The id of what is said after this event has come five times; "none" if it says nothing.
std::string said(ConnectDiagnosis& diagnosis, ConnectEvent event) {
  for (int i = 0; i < 5; ++i) {
    if (const auto why = diagnosis.handle(event)) {
      return why->id;
    }
  }
  return "none";
}

std::string said(const std::string& client, ConnectEvent event) {
  ConnectDiagnosis diagnosis("tcp://h:1", client);
  return said(diagnosis, event);
}

TEST_CASE("connect diagnosis: each cause has its own sentence") {
  CHECK(said("ann", ConnectEvent::shut_out) == "connection.not_authorized");
  CHECK(said("ann", ConnectEvent::no_handshake) == "connection.wrong_server_key");
  CHECK(said("ann", ConnectEvent::other_mechanism) == "connection.agent_has_no_keys");
  CHECK(said("", ConnectEvent::other_mechanism) == "connection.agent_wants_keys");
  CHECK(said("", ConnectEvent::no_handshake) == "connection.not_an_agent");
}

TEST_CASE("connect diagnosis: an agent that is not there may still come") {
  CHECK(said("ann", ConnectEvent::no_answer) == "none");
}

TEST_CASE("connect diagnosis: a handshake that breaks off now and then means nothing") {
  ConnectDiagnosis diagnosis("tcp://h:1", "ann");
  for (int i = 0; i < 4; ++i) {
    CHECK_FALSE(diagnosis.handle(ConnectEvent::no_handshake));
  }
  CHECK_FALSE(diagnosis.handle(ConnectEvent::connected));
  CHECK_FALSE(diagnosis.handle(ConnectEvent::no_handshake));
  CHECK(said(diagnosis, ConnectEvent::no_handshake) == "connection.wrong_server_key");
}

}  // namespace
}  // namespace mstune::coordinator
