#include "coordinator/step_set.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "coordinator/steps_csv.h"
#include "tests/unit/coordinator/step_text.h"

namespace mstune::coordinator {
namespace {

std::string plog_of(int pid, std::string_view folder = "run") {
  return fmt::format("plog/{}/plog/plog-{}_20260902143015123.log", folder, pid);
}

std::string csv(const StepSet& steps) {
  std::string text;
  format_steps_csv(steps, [&text](std::string_view piece) { text += piece; });
  return text;
}

TEST_CASE("record log: what was read is what can be asked for, up to the limits of 64 bits") {
  RecordLog log;
  StepText text;
  text.step = UINT64_MAX;
  text.start_us = UINT64_MAX - 100;
  text.results = "ret=4294967295 sync_ret=-9223372036854775808";
  log.add("a.log", (std::uint64_t{5} << 32U) + 7, text.line());
  REQUIRE(log.size() == 1);
  CHECK((log.step(0) == Integer{UINT64_MAX}));
  CHECK((log.start_us(0) == Integer{UINT64_MAX} - 100));
  CHECK((log.end_us(0) == Integer{UINT64_MAX}));
  CHECK((log.shape(0).sync_ret == Integer{INT64_MIN}));
  CHECK(log.place(0) == "a.log:21474836487");
}

TEST_CASE("record log: of malformed records the first few are kept and all are counted") {
  RecordLog log;
  for (std::uint64_t line = 1; line <= 100; ++line) {
    log.add("a.log", line, "[GE_MS_TUNE][STEP] api=x");
  }
  log.add("a.log", 101, "nothing");
  CHECK(log.size() == 0);
  CHECK(log.malformed_count() == 100);
  CHECK(log.malformed().size() < 10);
  CHECK(log.malformed().front().line == 1);
}

TEST_CASE("step set: the same record on stdout, in run/ and in debug/ is one record") {
  RecordLog log;
  add_steps(log, "stdout.log", {}, 0, 5);
  add_steps(log, plog_of(4242, "debug"), {}, 0, 5);
  add_steps(log, plog_of(4242), {}, 0, 5);
  const StepSet steps(log);
  CHECK(steps.records().size() == 5);
  CHECK(steps.processes() == 1);
  CHECK(steps.conflict_count() == 0);
}

TEST_CASE("step set: equal ids in different processes are different objects") {
  RecordLog log;
  for (const int pid : {31, 30, 32}) {
    StepText text;
    text.pid = std::to_string(pid);
    add_steps(log, plog_of(pid), text, 0, 4);
  }
  const StepSet steps(log);
  CHECK(steps.records().size() == 12);
  CHECK(steps.processes() == 3);
  CHECK(steps.pid(steps.records().front()) == 30);
}

TEST_CASE("step set: the first record of a forked child carries its parent's pid") {
  RecordLog log;
  StepText parent;
  parent.pid = "50";
  StepText child;
  child.pid = "51";
  add_steps(log, plog_of(50), parent, 0, 3);
  parent.step = 0;
  parent.start_us = 5;
  log.add(plog_of(51), 9, parent.line());
  for (child.step = 1; child.step < 4; ++child.step) {
    child.start_us = 1000 * child.step;
    log.add(plog_of(51), 9 + child.step, child.line());
  }
  const StepSet steps(log);
  CHECK(steps.conflict_count() == 0);
  CHECK(steps.processes() == 2);
  CHECK(steps.records().size() == 7);
  CHECK(steps.pid(3) == 51);

  SUBCASE("and so does its only one") {
    RecordLog single;
    single.add(plog_of(51), 1, parent.line());
    CHECK(StepSet(single).pid(0) == 51);
  }
  SUBCASE("also where the tail delivered that line twice") {
    log.add(plog_of(51), 9, parent.line());
    const StepSet again(log);
    CHECK(again.records().size() == 7);
    CHECK(again.processes() == 2);
  }
}

TEST_CASE("step set: on stdout children carry their parent's pid, and are never taken for one") {
  RecordLog log;
  StepText text;
  text.pid = "50";
  add_steps(log, "stdout.log", text, 0, 3);
  text.cost_us = 77;  // another child, with the same pid in its header and steps of its own
  add_steps(log, "stdout.log", text, 0, 3);
  const StepSet steps(log);
  CHECK(steps.records().size() == 3);
  CHECK(steps.conflict_count() == 3);
}

TEST_CASE("step set: an older CANN writes children into their parent's file") {
  RecordLog log;
  for (const char* pid : {"61", "60", "61", "62"}) {
    StepText text;
    text.pid = pid;
    text.step = log.size();
    log.add(plog_of(60), log.size() + 1, text.line());
  }
  const StepSet steps(log);
  CHECK(steps.pid(0) == 61);
  CHECK(steps.pid(1) == 60);
  CHECK(steps.pid(3) == 62);
  CHECK(steps.processes() == 3);
}

TEST_CASE("step set: a record without a header belongs to its file's process") {
  StepText bare;
  bare.pid = "";
  RecordLog log;
  add_steps(log, plog_of(70), bare, 0, 2);
  CHECK(StepSet(log).pid(0) == 70);

  SUBCASE("on stdout it is the copy of any that equals it") {
    add_steps(log, "stdout.log", bare, 0, 3);
    const StepSet steps(log);
    CHECK(steps.records().size() == 3);
    CHECK(steps.processes() == 2);
    CHECK(steps.pid(4) == 0);
  }
  SUBCASE("on stdout alone its process is 0, and each counts once") {
    RecordLog alone;
    add_steps(alone, "stdout.log", bare, 0, 3);
    add_steps(alone, "stdout.log", bare, 0, 3);
    const StepSet steps(alone);
    CHECK(steps.records().size() == 3);
    CHECK(steps.processes() == 1);
    CHECK(steps.pid(0) == 0);
  }
  SUBCASE("on stdout with another cost it is another record") {
    bare.cost_us = 99;
    log.add("stdout.log", 1, bare.line());
    CHECK(StepSet(log).records().size() == 3);
  }
}

TEST_CASE("step set: two different records for one step are a conflict, and the first is kept") {
  RecordLog log;
  add_steps(log, kPlog, {}, 0, 3);
  StepText other;
  other.step = 1;
  other.start_us = 1000;
  other.cost_us = 77;
  log.add(kPlog, 9, other.line());
  log.add("stdout.log", 3, other.line());
  const StepSet steps(log);
  CHECK(steps.records().size() == 3);
  CHECK(steps.conflict_count() == 1);
  REQUIRE(steps.first_conflict());
  CHECK(steps.first_conflict()->kept == 1);
  CHECK(steps.first_conflict()->other == 3);
}

TEST_CASE("step set: another api, object or process makes another step") {
  RecordLog log;
  StepText text;
  log.add(kPlog, 1, text.line());
  text.object = "model_id=2";
  log.add(kPlog, 2, text.line());
  text.object = "session_id=1 graph_id=1";
  log.add(kPlog, 3, text.line());
  std::string line = StepText{}.line();
  line.replace(line.find("NnExecute"), 9, "Run");
  log.add(kPlog, 4, line);
  const StepSet steps(log);
  CHECK(steps.records().size() == 4);
  CHECK(steps.conflict_count() == 0);
}

TEST_CASE("pid of a file: only plog names say one") {
  CHECK(pid_of_file_name("plog-12_20260902143015123.log") == 12U);
  CHECK(pid_of_file_name("a/plog-1_2/plog-12_3.log") == 12U);
  for (std::string_view name : {"", "plog-", "plog-x_1.log", "plog-12.log", "xplog-12_1.log",
                                "plog-12_1.log/stdout.log", "plog--1_1.log"}) {
    CAPTURE(name);
    CHECK_FALSE(pid_of_file_name(name).has_value());
  }
}

TEST_CASE("steps.csv: the sample's columns, the process after them") {
  RecordLog log;
  StepText text;
  text.mode = "a,\"b";
  text.step = 1;
  log.add(kPlog, 1, text.line());
  CHECK(csv(StepSet(log)) ==
        "execution,api,mode,step,start_us,end_us,cost_us,sync_us,ret,sync_ret,pid\n"
        "model:1,NnExecute,\"a,\"\"b\",1,0,100,100,10,0,0,4242\n");
}

}  // namespace
}  // namespace mstune::coordinator
