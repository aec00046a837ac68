#include "common/step_record.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "common/error.h"

namespace mstune {
namespace {

constexpr std::string_view kHeader =
    "[INFO] GE(4242,infer):2026-11-29-14:40:08.762.257 [step_recorder.cc:137]4243 Record:";
constexpr std::string_view kFields =
    "api=NnExecute mode=LoadBalance:4 model_id=1 step=3 start_us=100 end_us=140 cost_us=40 "
    "sync_us=7 ret=0 sync_ret=0";

std::string line_of(std::string_view fields) {
  return std::string(kHeader) + std::string(kStepTag) + ' ' + std::string(fields);
}

// The fields of a sound record with one of them replaced; an empty replacement takes it out.
std::string with(std::string_view old, std::string_view replacement) {
  std::string fields(kFields);
  const auto at = fields.find(old);
  REQUIRE(at != std::string::npos);
  return fields.replace(at, old.size(), replacement);
}

StepText parse(std::string_view line) {
  const auto text = take_step(line);
  REQUIRE(text.has_value());
  return *text;
}

StepRecord record_in(std::string_view line) {
  const StepText text = parse(line);
  REQUIRE(std::holds_alternative<StepRecord>(text));
  return std::get<StepRecord>(text);
}

// The id of what is wrong, or "" for a sound record.
std::string fault_of(std::string_view fields) {
  const StepText text = parse(line_of(fields));
  const auto* malformed = std::get_if<MalformedStep>(&text);
  return malformed == nullptr ? "" : malformed->why.id;
}

bool equal(Integer left, Integer right) {
  return left == right;
}

TEST_CASE("step record: every field of a line that GE writes is read") {
  const std::string line = line_of(kFields);
  const StepRecord record = record_in(line);
  CHECK(record.api == "NnExecute");
  CHECK(record.mode == "LoadBalance:4");
  CHECK(record.object == ObjectId{ObjectId::Kind::model, 0, 1});
  CHECK(equal(record.step, 3));
  CHECK(equal(record.start_us, 100));
  CHECK(equal(record.end_us, 140));
  CHECK(record.cost_us == 40);
  CHECK(equal(record.sync_us, 7));
  CHECK(equal(record.ret, 0));
  CHECK(equal(record.sync_ret, 0));
  CHECK(record.header_pid == 4242U);
}

TEST_CASE("step record: a line without the whole tag holds none") {
  for (std::string_view line :
       {"", "[GE_MS_TUNE] api=Run", "[STEP] api=Run", "[GE_MS_TUNE] [STEP]", "[GE_MS_TUNE][STEP"}) {
    CAPTURE(line);
    CHECK_FALSE(is_step_line(line));
    CHECK_FALSE(take_step(line).has_value());
  }
}

TEST_CASE("step record: whatever stands before the tag does not matter") {
  using namespace std::string_literals;
  const std::string tail = std::string(kStepTag) + std::string(kFields);
  for (const std::string& before :
       {""s, "(Worker TP1 pid=961) "s, "\x1b[36m(TaskRunner pid=46)\x1b[0m "s, "\xff\xfe\x00\x01"s,
        "[GE_MS_TUNE]"s, "api=x mode=y "s}) {
    CHECK(record_in(before + tail).api == "NnExecute");
  }
}

TEST_CASE("step record: fields are split at any white space and end at the first other token") {
  CHECK(fault_of("api=a\tmode=b\v model_id=1\fstep=1 start_us=1 end_us=2 cost_us=1 sync_us=0 "
                 "ret=0 sync_ret=0\r")
            .empty());
  const std::string line = line_of(std::string(kFields) + " tail with cost_us=1 ret=9");
  CHECK(equal(record_in(line).ret, 0));
  CHECK(fault_of("note " + std::string(kFields)) == "step.missing_field");
}

TEST_CASE("step record: the later of equal names wins, unknown names are ignored") {
  const std::string later = line_of(std::string(kFields) + " ret=5 colour=red =x a=b=c");
  CHECK(equal(record_in(later).ret, 5));
  CHECK(fault_of(std::string(kFields) + " ret=") == "step.missing_field");
}

TEST_CASE("step record: each required field is missed") {
  for (std::string_view field : {"api=NnExecute", "mode=LoadBalance:4", "step=3", "start_us=100",
                                 "end_us=140", "cost_us=40", "sync_us=7", " ret=0", "sync_ret=0"}) {
    CAPTURE(field);
    CHECK(fault_of(with(field, "")) == "step.missing_field");
  }
  CHECK(fault_of(with("mode=LoadBalance:4", "mode=")) == "step.missing_field");
}

TEST_CASE("step record: exactly one whole identity is needed") {
  CHECK(fault_of(with("model_id=1", "")) == "step.no_identity");
  CHECK(fault_of(with("model_id=1", "session_id=1")) == "step.no_identity");
  CHECK(fault_of(with("model_id=1", "graph_id=1")) == "step.no_identity");
  CHECK(fault_of(with("model_id=1", "model_id=1 session_id=3 graph_id=11")) ==
        "step.both_identities");
  CHECK(fault_of(with("model_id=1", "model_id=1 graph_id=11")) == "step.both_identities");
  CHECK(fault_of(with("model_id=1", "model_id=1 session_id= graph_id=")).empty());
  const std::string graph = line_of(with("model_id=1", "graph_id=11 session_id=3"));
  CHECK(record_in(graph).object == ObjectId{ObjectId::Kind::graph, 3, 11});
}

TEST_CASE("step record: numbers are an optional minus and digits, within 64 bits") {
  for (std::string_view text : {"+1", "1.0", "0x1", "1e3", "-", "--1", "1,000", "1u", "0\x1b[0m"}) {
    CAPTURE(text);
    CHECK(fault_of(with("sync_us=7", "sync_us=" + std::string(text))) == "step.not_an_integer");
  }
  for (std::string_view text : {"-1", "007", "-9223372036854775808", "18446744073709551615",
                                "000000000000000000000000000000000000000000000001"}) {
    CAPTURE(text);
    CHECK(fault_of(with("sync_us=7", "sync_us=" + std::string(text))).empty());
  }
  for (std::string_view text :
       {"-9223372036854775809", "18446744073709551616", "340282366920938463463374607431768211457",
        "99999999999999999999999999999999999999999999999999999999999999999999999999999999"}) {
    CAPTURE(text);
    CHECK(fault_of(with("sync_us=7", "sync_us=" + std::string(text))) == "step.beyond_64_bits");
  }
  const std::string largest = line_of(with("step=3", "step=18446744073709551615"));
  CHECK(equal(record_in(largest).step, Integer{UINT64_MAX}));
}

TEST_CASE("step record: the cost is the length of the interval") {
  CHECK(fault_of(with("end_us=140", "end_us=99")) == "step.ends_before_start");
  CHECK(fault_of(with("cost_us=40", "cost_us=41")) == "step.cost_mismatch");
  CHECK(fault_of(with("cost_us=40", "cost_us=-40")) == "step.cost_mismatch");
  CHECK(fault_of(with("end_us=140 cost_us=40", "end_us=100 cost_us=0")).empty());
  const std::string before_epoch =
      line_of(with("start_us=100 end_us=140 cost_us=40", "start_us=-50 end_us=-10 cost_us=40"));
  CHECK(record_in(before_epoch).cost_us == 40);
  // The difference itself would not fit into 64 bits.
  CHECK(fault_of(with("start_us=100 end_us=140 cost_us=40",
                      "start_us=-1 end_us=18446744073709551615 cost_us=0")) ==
        "step.cost_mismatch");
}

TEST_CASE("step record: records that were glued into one line are all found") {
  const std::string second = "[INFO] GE(77,x):2026-11-29-14:40:08.762.257 [a.cc:1]1 Record:";
  const std::string line =
      line_of(kFields) + ' ' + second + std::string(kStepTag) + ' ' + std::string(kFields);
  std::string_view rest = line;
  std::vector<std::uint64_t> pids;
  while (const auto text = take_step(rest)) {
    REQUIRE(std::holds_alternative<StepRecord>(*text));
    pids.push_back(std::get<StepRecord>(*text).header_pid.value_or(0));
  }
  CHECK(pids == std::vector<std::uint64_t>{4242, 77});
  // Without a blank between them the last value of the first is no number.
  const std::string tight = line_of(kFields) + second + std::string(kStepTag);
  CHECK(std::holds_alternative<MalformedStep>(parse(tight)));
}

TEST_CASE("step record: the process is the one of the header, whatever its name holds") {
  using namespace std::string_literals;
  CHECK(header_pid("[INFO] GE(2671,real infer(x),v2:[1]):2026-11-29-14:40:08.762.257 [a]") ==
        2671U);
  CHECK(header_pid("[EVENT] GE(12,HCCL(99,x)):2026") == 12U);
  CHECK(header_pid("[EVENT] GE(2284607, ir_build):2026") == 2284607U);
  CHECK(header_pid("(Worker(3,x) pid=961) [INFO] GE(5,python3):2026") == 5U);
  CHECK(header_pid("\x1b[36m[INFO] GE(5,python3):2026") == 5U);
  CHECK(header_pid("[0] [INFO] GE(5,python3):2026") == 5U);
  CHECK(header_pid("[7] GE(5,python3):2026") == 5U);
  CHECK(header_pid("[IN\x00\x00] GE(5,python3):2026"s) == 5U);
  CHECK_FALSE(header_pid("").has_value());
  CHECK_FALSE(header_pid("[INFO] GE 5").has_value());
  CHECK_FALSE(header_pid("[INFO] GE(5)").has_value());
  CHECK_FALSE(header_pid("[INFO] GE(,x)").has_value());
  CHECK_FALSE(header_pid("[INFO] GE(99999999999999999999,x)").has_value());
}

TEST_CASE("object: names are read as they are shown") {
  for (std::string_view text : {"model:1", "3:11", "model:18446744073709551615"}) {
    CHECK(name(parse_object_id(text)) == text);
  }
  for (std::string_view text : {"", "1", "model:", "model:x", "graph:1", "3:", ":11", "3:11:2"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_object_id(text), Error);
  }
  CHECK(parse_object_id("9:9") < parse_object_id("model:1"));
  CHECK(parse_object_id("2:10") < parse_object_id("10:2"));
}

}  // namespace
}  // namespace mstune
