#include "protocol/codec.h"

#include <random>
#include <string>

#include <doctest/doctest.h>

#include "common/error.h"

namespace mstune::protocol {
namespace {

Assign sample_assign() {
  Assign assign;
  assign.key = {"c0ffee", 3, 2, "feed"};
  assign.spec.command = {"python3", "infer.py", "--om", "{om}"};
  assign.spec.om = "model_LoadBalance4.om";
  assign.spec.files = {{"model_LoadBalance4.om", {std::string("\x00\xff\x7f", 3)}}};
  assign.spec.environment = {{"A", "1"}, {"B", ""}};
  assign.spec.timeout_ms = 1'800'000;
  assign.events_from = 7;
  return assign;
}

TEST_CASE("codec: a request survives the wire with every field") {
  const auto back = unpack_request(pack(Request{sample_assign()}));
  REQUIRE(back.has_value());
  const auto& assign = std::get<Assign>(*back);
  CHECK(assign.key == sample_assign().key);
  CHECK(assign.spec.command == sample_assign().spec.command);
  CHECK(assign.spec.files.at(0).identity == sample_assign().spec.files.at(0).identity);
  CHECK(assign.spec.environment == sample_assign().spec.environment);
  CHECK(assign.spec.timeout_ms == 1'800'000);
  CHECK(assign.events_from == 7);
}

TEST_CASE("codec: events keep their kinds, their order and bytes that are not text") {
  Events events{{"c", 0, 1, "i"}, 5, {}};
  events.events.emplace_back(StepLine{"plog/run/plog/plog-1_2.log", 9, {"\xff\xfe[STEP]"}});
  Exited exited;
  exited.exit_code = -9;
  exited.cause = kCauseTimeout;
  exited.files = {{"stdout.log", 12}};
  events.events.emplace_back(exited);
  const auto back = unpack_report(pack(Report{events}));
  REQUIRE(back.has_value());
  const auto& unpacked = std::get<Events>(*back);
  REQUIRE(unpacked.events.size() == 2);
  CHECK(unpacked.first == 5);
  CHECK(std::get<StepLine>(unpacked.events[0]).text.value == "\xff\xfe[STEP]");
  CHECK(std::get<Exited>(unpacked.events[1]).exit_code == -9);
  CHECK(std::get<Exited>(unpacked.events[1]).files.at(0).size == 12);
}

TEST_CASE("codec: an agent's condition survives the wire, devices and all") {
  Condition condition;
  condition.sequence = 3;
  condition.store = {2, 5'000'000'000, 7, 64'000'000'000, 9};
  condition.devices = {{-1, kDeviceFree, "", 0, 0}, {3, kDeviceBusy, "c0ffee", 12, 61}};
  condition.queued = 4;
  const auto back = unpack_report(pack(Report{condition}));
  REQUIRE(back.has_value());
  const auto& unpacked = std::get<Condition>(*back);
  CHECK(unpacked.sequence == 3);
  CHECK(unpacked.store.bytes == 5'000'000'000);
  CHECK(unpacked.store.free_bytes == 9);
  REQUIRE(unpacked.devices.size() == 2);
  CHECK(unpacked.devices[0].device == -1);
  CHECK(unpacked.devices[1].holder == "c0ffee");
  CHECK(unpacked.devices[1].trial == 12);
  CHECK(unpacked.queued == 4);
}

TEST_CASE("codec: the facts about a machine survive the wire, lists within lists too") {
  Examined examined;
  examined.facts.host = "box";
  examined.facts.variables = {{"ASCEND_OPP_PATH", "/cann/opp"}};
  examined.facts.work = {"/tmp", true, 1ULL << 40U};
  PassLibrary pass;
  pass.path = "/cann/opp/vendors/a/custom_fusion_passes/liba.so";
  pass.missing = {"libgone.so"};
  pass.writes_mode = true;
  examined.facts.passes = {pass};
  examined.facts.devices = {{3, "910B2", "OK", "96.4", "37", {{7, "python", 90}}}};
  const auto back = unpack_report(pack(Report{examined}));
  REQUIRE(back.has_value());
  const BoxFacts& facts = std::get<Examined>(*back).facts;
  CHECK(facts.host == "box");
  CHECK(facts.variables == examined.facts.variables);
  CHECK(facts.work.free_bytes == 1ULL << 40U);
  REQUIRE(facts.passes.size() == 1);
  CHECK(facts.passes[0].missing == pass.missing);
  CHECK(facts.passes[0].writes_mode);
  REQUIRE(facts.devices.size() == 1);
  CHECK(facts.devices[0].holders.at(0).memory_mb == 90);
}

TEST_CASE("codec: an unknown tag is no message of ours, unknown fields are passed over") {
  // ["later", {}] and ["ping", {"new": 1, "sequence": 4}]
  CHECK_FALSE(unpack_request("\x92\xa5later\x80").has_value());
  const auto ping = unpack_request("\x92\xa4ping\x82\xa3new\x01\xa8sequence\x04");
  REQUIRE(ping.has_value());
  CHECK(std::get<Ping>(*ping).sequence == 4);
  // ["ping", {}]: a missing field keeps its default
  CHECK(std::get<Ping>(*unpack_request(std::string_view("\x92\xa4ping\x80"))).sequence == 0);
}

TEST_CASE("codec: what is not a message is refused with a sentence") {
  CHECK_THROWS_AS(unpack_request(""), Error);
  CHECK_THROWS_AS(unpack_request("\xc1"), Error);
  CHECK_THROWS_AS(unpack_request("\x93\xa4ping\x80\x80"), Error);
  CHECK_THROWS_AS(unpack_request("\x92\xa4ping\x80\x80"), Error);                  // trailing
  CHECK_THROWS_AS(unpack_request("\x92\xa4ping\x81\xa8sequence\xa1x"), Error);     // type
  CHECK_THROWS_AS(unpack_request("\x92\xa4ping\x81\xa8sequence\xff"), Error);      // range
  CHECK_THROWS_AS(unpack_request(std::string("\xdd\xff\xff\xff\xff", 5)), Error);  // huge array
}

TEST_CASE("codec: damaged messages are refused or read, and never do anything else") {
  const std::string good = pack(Request{sample_assign()});
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = good;
    for (int k = 0; k < 3; ++k) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    bytes.resize(random() % 4 == 0 ? random() % bytes.size() : bytes.size());
    try {
      static_cast<void>(unpack_request(bytes));
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::protocol);
      ++refused;
    }
  }
  CHECK(refused > 1000);
}

}  // namespace
}  // namespace mstune::protocol
