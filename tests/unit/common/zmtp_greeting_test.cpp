#include "common/zmtp_greeting.h"

#include <doctest/doctest.h>

namespace mstune {
namespace {

TEST_CASE("zmtp greeting: who greets like us is known by the mechanism") {
  CHECK(judge_greeting(zmtp_greeting(true)) == ProbeResult::wants_keys);
  CHECK(judge_greeting(zmtp_greeting(false)) == ProbeResult::no_keys);
  std::string plain = zmtp_greeting(false);
  plain.replace(12, 5, "PLAIN");
  CHECK(judge_greeting(plain) == ProbeResult::stranger);
}

TEST_CASE("zmtp greeting: the beginning of one is waited for, up to its last byte") {
  const std::string greeting = zmtp_greeting(true);
  CHECK(greeting.size() == 64);
  for (std::size_t length = 0; length < greeting.size(); ++length) {
    CHECK_FALSE(judge_greeting(greeting.substr(0, length)));
  }
}

TEST_CASE("zmtp greeting: other programs are known by their first bytes") {
  for (const char* text : {"SSH-2.0-OpenSSH_9.2p1", "HTTP/1.1 400 Bad Request", "\x01"}) {
    CHECK(judge_greeting(text) == ProbeResult::stranger);
  }
  std::string old = zmtp_greeting(false).substr(0, 11);
  old[10] = '\x01';  // ZMTP 2.0 has no mechanisms
  CHECK(judge_greeting(old) == ProbeResult::stranger);
}

}  // namespace
}  // namespace mstune
