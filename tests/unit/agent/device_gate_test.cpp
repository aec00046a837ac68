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
  return {{{card, 0}, 4711, "python", 900}};
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
  CHECK(first.tell->text.find("process 4711 (python, 900 MB)") != std::string::npos);
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

UsageLook look_with(TimePoint begun, std::uint64_t memory_mb, std::optional<int> core_usage) {
  UsageLook look = look_at(begun, {{{0, 0}, 4711, "python", memory_mb}});
  if (core_usage) {
    look.core_usage[{0, 0}] = *core_usage;
  }
  return look;
}

TEST_CASE("device gate: who has less memory than a context needs is told and not waited for") {
  const GateRules rules;
  DeviceGate gate({0}, kStart);
  const GateAnswer answer = gate.ask(rules, kChips, look_with(kStart, 255, {}), kStart);
  CHECK(answer.what == What::begin);
  CHECK(answer.tell->id == "agent.device_context");
  REQUIRE(answer.accepted.size() == 1);
  CHECK(answer.accepted.front().pid == 4711);
  DeviceGate other({0}, kStart);
  CHECK(other.ask(rules, kChips, look_with(kStart, 256, {}), kStart).what == What::look);
}

TEST_CASE("device gate: who holds memory with idle AI cores for 5 s is told and not waited for") {
  const GateRules rules;
  DeviceGate gate({0}, kStart);
  CHECK(gate.ask(rules, kChips, look_with(kStart, 2048, 0), kStart).what == What::look);
  TimePoint now = kStart + std::chrono::milliseconds(4900);
  CHECK(gate.ask(rules, kChips, look_with(now, 2048, 0), now).what == What::look);
  now = kStart + seconds(5);
  const GateAnswer answer = gate.ask(rules, kChips, look_with(now, 2048, 0), now);
  CHECK(answer.what == What::begin);
  CHECK(answer.tell->id == "agent.device_idle");
  CHECK(answer.accepted.size() == 1);
}

TEST_CASE("device gate: one reading of work, or one that is missing, begins the 5 s anew") {
  const GateRules rules;
  for (const std::optional<int> reading : {std::optional<int>(1), std::optional<int>()}) {
    DeviceGate gate({0}, kStart);
    gate.ask(rules, kChips, look_with(kStart, 2048, 0), kStart);
    gate.ask(rules, kChips, look_with(kStart + seconds(3), 2048, reading), kStart + seconds(3));
    const TimePoint later = kStart + seconds(6);
    CHECK(gate.ask(rules, kChips, look_with(later, 2048, 0), later).what == What::look);
    const TimePoint end = kStart + seconds(11);
    CHECK(gate.ask(rules, kChips, look_with(end, 2048, 0), end).what == What::begin);
  }
}

TEST_CASE("device gate: another agent's trial is waited for as any user, and looked past it anew") {
  DeviceGate gate({0}, kStart);
  GateRules rules;
  rules.wait_max = seconds(10);
  const GateAnswer first = gate.ask_held(rules, "a trial of process 7 (mstune-agent)", kStart);
  CHECK(first.what == What::look);
  CHECK(first.look_at == kStart + seconds(1));
  CHECK(first.tell->text.find("process 7") != std::string::npos);
  const GateAnswer again = gate.ask(rules, kChips, look_at(kStart, {}), kStart);
  CHECK(again.what == What::look);
  CHECK(again.look_at == kStart + seconds(1));
  const TimePoint later = kStart + seconds(1);
  CHECK(gate.ask(rules, kChips, look_at(later, {}), later).what == What::begin);
  CHECK(gate.ask_held(rules, "x", kStart + seconds(10)).what == What::give_up);
}

}  // namespace
}  // namespace mstune::agent
