#include "agent/device_gate.h"

#include <doctest/doctest.h>

namespace mstune::agent {
namespace {

using std::chrono::seconds;
using What = GateAnswer::What;

const TimePoint kStart{std::chrono::hours(1)};
const std::vector<Chip> kChips{{{0, 0}, 0, "Ascend910B2"}, {{1, 0}, 1, "Ascend910B2"}};

UsageLook look_at(TimePoint begun, std::vector<DeviceUser> users) {
  return {begun, begun, std::move(users)};
}

std::vector<DeviceUser> user_of(int card) {
  return {{{card, 0}, 4711, "python", 90}};
}

TEST_CASE("device gate: only a look that began after the devices were free says anything") {
  DeviceGate gate({0}, kStart);
  const GateRules rules;
  CHECK(gate.ask(rules, kChips, std::nullopt, kStart).what == What::look);
  CHECK(gate.ask(rules, kChips, look_at(kStart - seconds(1), {}), kStart).what == What::look);
  CHECK(gate.ask(rules, kChips, look_at(kStart, {}), kStart).what == What::begin);
  CHECK(gate.ask(rules, kChips, look_at(kStart, {}), kStart + seconds(2)).what == What::begin);
  CHECK(gate.ask(rules, kChips, look_at(kStart, {}), kStart + seconds(3)).what == What::look);
}

TEST_CASE("device gate: a look that takes long counts from its end") {
  DeviceGate gate({0}, kStart);
  const UsageLook slow{kStart, kStart + seconds(5), std::vector<DeviceUser>()};
  CHECK(gate.ask({}, kChips, slow, kStart + seconds(5)).what == What::begin);
  CHECK(gate.ask({}, kChips, slow, kStart + seconds(8)).what == What::look);
}

TEST_CASE("device gate: a user of another device is nobody's business") {
  DeviceGate gate({0}, kStart);
  CHECK(gate.ask({}, kChips, look_at(kStart, user_of(1)), kStart).what == What::begin);
}

TEST_CASE("device gate: who uses the device is told once, waited for, and told at the end") {
  DeviceGate gate({0}, kStart);
  GateRules rules;
  rules.wait_max = seconds(10);
  const GateAnswer first = gate.ask(rules, kChips, look_at(kStart, user_of(0)), kStart);
  CHECK(first.what == What::look);
  CHECK(first.look_at == kStart + seconds(1));
  REQUIRE(first.tell.has_value());
  CHECK(first.tell->text.find("process 4711 (python, 90 MB)") != std::string::npos);
  const GateAnswer second =
      gate.ask(rules, kChips, look_at(kStart + seconds(9), user_of(0)), kStart + seconds(9));
  CHECK(second.what == What::look);
  CHECK_FALSE(second.tell.has_value());
  const GateAnswer last =
      gate.ask(rules, kChips, look_at(kStart + seconds(10), user_of(0)), kStart + seconds(10));
  CHECK(last.what == What::give_up);
  CHECK(last.tell->text.find("4711") != std::string::npos);
}

TEST_CASE("device gate: a client that waits for less than the agent would is not kept") {
  DeviceGate gate({0}, kStart, seconds(2));
  const GateAnswer first = gate.ask({}, kChips, look_at(kStart, user_of(0)), kStart);
  CHECK(first.tell->text.find("2 s (--wait-timeout)") != std::string::npos);
  const GateAnswer last =
      gate.ask({}, kChips, look_at(kStart + seconds(2), user_of(0)), kStart + seconds(2));
  CHECK(last.what == What::give_up);
  CHECK(last.tell->text.find("--wait-timeout") != std::string::npos);
  // One that would wait for longer goes by the agent's rule.
  DeviceGate patient({0}, kStart, std::chrono::hours(1));
  const GateAnswer told = patient.ask({}, kChips, look_at(kStart, user_of(0)), kStart);
  CHECK(told.tell->text.find("--busy-wait") != std::string::npos);
}

TEST_CASE("device gate: it opens when the user has gone") {
  DeviceGate gate({0}, kStart);
  gate.ask({}, kChips, look_at(kStart, user_of(0)), kStart);
  CHECK(gate.ask({}, kChips, look_at(kStart + seconds(5), {}), kStart + seconds(5)).what ==
        What::begin);
}

TEST_CASE("device gate: where nobody knows, it opens and says so") {
  DeviceGate gate({0}, kStart);
  const GateAnswer answer = gate.ask({}, kChips, UsageLook{kStart, kStart, std::nullopt}, kStart);
  CHECK(answer.what == What::begin);
  CHECK(answer.tell->id == "agent.users_unknown");
}

}  // namespace
}  // namespace mstune::agent
