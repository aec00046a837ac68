#include "protocol/codec.h"

#include <random>
#include <string>

#include <doctest/doctest.h>
#include <msgpack.hpp>

#include "common/error.h"
#include "common/utf8.h"
#include "protocol/earlier_version.h"

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

Exited sample_exited() {
  Exited exited;
  exited.output_tail = {"cut: \xe4\xb8"};
  exited.files = {{{"plog/\xff.log"}, 3}};
  exited.facts = {
      {"plog_files", std::int64_t{2}}, {"uid", std::int64_t{-1}}, {"last_line", "\xff"}};
  return exited;
}

TEST_CASE("codec: facts are kept by name, as numbers and as any text") {
  const auto back = unpack_report(pack(Report{Events{{}, 0, {sample_exited()}}}));
  REQUIRE(back.has_value());
  const auto& exited = std::get<Exited>(std::get<Events>(*back).events.at(0));
  CHECK(exited.facts == sample_exited().facts);
  CHECK(exited.files.at(0).path.value == "plog/\xff.log");
  CHECK(exited.output_tail.value == "cut: \xe4\xb8");
}

// Whether each str in it is UTF-8, as a strict decoder wants it.
bool is_strict(const msgpack::object& object) {
  if (object.type == msgpack::type::STR) {
    return is_utf8({object.via.str.ptr, object.via.str.size});
  }
  bool strict = true;
  if (object.type == msgpack::type::ARRAY) {
    for (std::uint32_t i = 0; i < object.via.array.size; ++i) {
      strict = strict && is_strict(object.via.array.ptr[i]);
    }
  } else if (object.type == msgpack::type::MAP) {
    for (std::uint32_t i = 0; i < object.via.map.size; ++i) {
      strict =
          strict && is_strict(object.via.map.ptr[i].key) && is_strict(object.via.map.ptr[i].val);
    }
  }
  return strict;
}

TEST_CASE("codec: no message holds a str that is no UTF-8, whatever a program wrote") {
  Assign assign = sample_assign();
  assign.spec.command = {"run", "\xff"};
  assign.spec.environment = {{"A\xc0", "\xed\xa0\x80"}};
  const std::string request = pack(Request{assign});
  CHECK(is_strict(msgpack::unpack(request.data(), request.size()).get()));
  CHECK(std::get<Assign>(*unpack_request(request)).spec.environment == assign.spec.environment);
  CHECK(std::get<Assign>(*unpack_request(request)).spec.command == assign.spec.command);

  Events events{{}, 0, {sample_exited(), StepLine{{"plog/\xfe"}, 1, {"\xff"}}}};
  events.events.emplace_back(Notice{message("a.b", "{}", std::string("\xff"))});
  const std::string report = pack(Report{events});
  CHECK(is_strict(msgpack::unpack(report.data(), report.size()).get()));
}

TEST_CASE("codec: a state that a newer peer added is unknown, and no state is taken for another") {
  for (const TrialState state : {TrialState::unknown, TrialState::queued, TrialState::running,
                                 TrialState::finished, TrialState::lost}) {
    const auto back =
        unpack_report(pack(Report{Status{{}, state, 0, WaitsFor::quiet_machine, {}}}));
    CHECK(std::get<Status>(*back).state == state);
    CHECK(std::get<Status>(*back).waits_for == WaitsFor::quiet_machine);
  }
  std::string bytes = pack(Report{Status{{}, TrialState::queued, 0, WaitsFor::device, {}}});
  bytes.replace(bytes.find("queued"), 6, "frozen");
  CHECK(std::get<Status>(*unpack_report(bytes)).state == TrialState::unknown);
}

TEST_CASE("codec: what an agent of version 1 says is understood") {
  // Its text was str where it is bin now, and a mark stood where waits_for says it.
  const std::string status("\x92\xa6status\x82\xa5state\xa6queued\xa7held_by\xa6/moves");
  auto report = unpack_report(status);
  REQUIRE(report.has_value());
  take_up_version_1(*report);
  CHECK(std::get<Status>(*report).waits_for == WaitsFor::quiet_machine);
  CHECK(std::get<Status>(*report).held_by.empty());
  const std::string step(
      "\x92\xa6"
      "events\x81\xa6"
      "events\x91\x92\xa4step\x81\xa6source\xa5plog/");
  auto events = unpack_report(step);
  REQUIRE(events.has_value());
  CHECK(std::get<StepLine>(std::get<Events>(*events).events.at(0)).source.value == "plog/");

  auto named = Report{Status{{}, TrialState::queued, 0, WaitsFor::unknown, "ann"}};
  take_up_version_1(named);
  CHECK(std::get<Status>(named).waits_for == WaitsFor::device);
  CHECK(std::get<Status>(named).held_by == "ann");
}

TEST_CASE("codec: a fact of a kind that is not known yet is passed over, the others are kept") {
  // {"facts": {"a": 1.5, "b": -3, "c": [], "d": 2^64-1, "e": "x"}}
  constexpr char kExited[] =
      "\x92\xa6"
      "events\x81\xa6"
      "events\x91\x92\xa6"
      "exited\x81\xa5"
      "facts\x85"
      "\xa1"
      "a\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00"
      "\xa1"
      "b\xfd"
      "\xa1"
      "c\x90"
      "\xa1"
      "d\xcf\xff\xff\xff\xff\xff\xff\xff\xff"
      "\xa1"
      "e\xa1x";
  const auto back = unpack_report({kExited, sizeof kExited - 1});
  REQUIRE(back.has_value());
  const Facts expected{{"b", std::int64_t{-3}}, {"e", "x"}};
  CHECK(std::get<Exited>(std::get<Events>(*back).events.at(0)).facts == expected);
}

TEST_CASE("codec: events keep their kinds, their order and bytes that are not text") {
  Events events{{"c", 0, 1, "i"}, 5, {}};
  events.events.emplace_back(StepLine{{"plog/run/plog/plog-1_2.log"}, 9, {"\xff\xfe[STEP]"}});
  Exited exited;
  exited.exit_code = -9;
  exited.cause = kCauseTimeout;
  exited.files = {{{"stdout.log"}, 12}};
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
  condition.devices = {{-1, DeviceState::free, "", 0, 0}, {3, DeviceState::busy, "c0ffee", 12, 61}};
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
