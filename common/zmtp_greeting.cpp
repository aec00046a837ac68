#include "common/zmtp_greeting.h"

#include <algorithm>
#include <cstddef>

namespace mstune {
namespace {

constexpr std::size_t kGreetingBytes = 64;
constexpr std::size_t kSignatureBytes = 10;
constexpr std::size_t kMechanismAt = 12;  // behind signature and version
constexpr std::size_t kMechanismBytes = 20;

}  // namespace

std::string zmtp_greeting(bool with_keys) {
  std::string greeting(kGreetingBytes, '\0');
  greeting[0] = '\xff';
  greeting[kSignatureBytes - 2] = '\x01';
  greeting[kSignatureBytes - 1] = '\x7f';
  greeting[kSignatureBytes] = '\x03';
  const std::string_view mechanism = with_keys ? "CURVE" : "NULL";
  std::copy(mechanism.begin(), mechanism.end(), greeting.begin() + kMechanismAt);
  return greeting;
}

std::optional<ProbeResult> judge_greeting(std::string_view received) {
  const auto differs = [&](std::size_t at, char byte) {
    return received.size() > at && received[at] != byte;
  };
  const bool is_older = received.size() > kSignatureBytes && received[kSignatureBytes] < '\x03';
  if (differs(0, '\xff') || differs(kSignatureBytes - 1, '\x7f') || is_older) {
    return ProbeResult::stranger;
  }
  if (received.size() < kGreetingBytes) {
    return std::nullopt;
  }
  std::string_view mechanism = received.substr(kMechanismAt, kMechanismBytes);
  mechanism = mechanism.substr(0, mechanism.find('\0'));
  if (mechanism == "CURVE") {
    return ProbeResult::wants_keys;
  }
  return mechanism == "NULL" ? ProbeResult::no_keys : ProbeResult::stranger;
}

}  // namespace mstune
