#include "agent/job.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

namespace mstune::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const TimePoint kStart{std::chrono::hours(1)};

template <typename T>
const T* find(const std::vector<JobAction>& actions) {
  for (const JobAction& action : actions) {
    if (const T* found = std::get_if<T>(&action)) {
      return found;
    }
  }
  return nullptr;
}

// All events that the actions send, in order.
std::vector<protocol::Event> sent(const std::vector<JobAction>& actions) {
  std::vector<protocol::Event> events;
  for (const JobAction& action : actions) {
    if (const auto* send = std::get_if<SendEvents>(&action)) {
      events.insert(events.end(), send->batch.events.begin(), send->batch.events.end());
    }
  }
  return events;
}

Job running_job(JobSettings settings = {}) {
  Job job(settings);
  CHECK(find<PrepareEnvironment>(job.begin(kStart)) != nullptr);
  CHECK(find<StartProgram>(job.handle(EnvironmentReady{}, kStart)) != nullptr);
  CHECK(sent(job.handle(ProgramStarted{42, 0, "/bin/true"}, kStart)).size() == 1);
  return job;
}

protocol::Event step(std::uint64_t number, std::string text) {
  return protocol::StepLine{{"stdout.log"}, number, {std::move(text)}};
}

const protocol::Exited& exited(const std::vector<protocol::Event>& events) {
  REQUIRE_FALSE(events.empty());
  REQUIRE(std::holds_alternative<protocol::Exited>(events.back()));
  return std::get<protocol::Exited>(events.back());
}

TEST_CASE("job: one that no device was free for ends without having run") {
  Job waiting((JobSettings()));
  const auto events = sent(waiting.handle(
      NotStarted{message("agent.waited_too_long", "no device"), protocol::kCauseWait}, kStart));
  CHECK(exited(events).cause == protocol::kCauseWait);
  CHECK_FALSE(exited(events).started);
  CHECK(find<RemoveJob>(waiting.handle(ReleaseAsked{}, kStart)) != nullptr);
}

TEST_CASE("job: an end that carries the time of before the start is a run of no length") {
  Job job = running_job();
  CHECK(find<EndTree>(job.handle(ProgramExited{}, kStart - seconds(1))) != nullptr);
  CHECK(find<DrainOutput>(job.handle(TreeEnded{0}, kStart)) != nullptr);
  CHECK(exited(sent(job.handle(OutputDrained{}, kStart))).run_us == 0);
}

TEST_CASE("job: a program whose plog fills the disk is ended under a name of its own, once") {
  Job job = running_job();
  CHECK(find<EndTree>(job.handle(PlogOverflowed{}, kStart + seconds(5))) != nullptr);
  CHECK(find<EndTree>(job.handle(PlogOverflowed{}, kStart + seconds(5))) == nullptr);
  job.handle(TreeEnded{-15}, kStart + seconds(6));
  const auto last = sent(job.handle(OutputDrained{}, kStart + seconds(6)));
  CHECK(exited(last).cause == protocol::kCauseTooMuchPlog);
  CHECK(exited(last).detail.id == "trial.too_much_plog");
}

protocol::Event event_line(const std::string& text) {
  return protocol::EventLine{
      {"plog/a.log"},
      1,
      {"[INFO] GE(42,python3):2026-11-30-10:00:00.000.001 [m.cc:7]42 R:" + text}};
}

// The last event of a job that found this line and ended by itself, drained so.
protocol::Exited ended_with(const protocol::Event& line, const OutputDrained& drained) {
  Job job = running_job();
  job.handle(LinesFound{{line}}, kStart + seconds(1));
  job.handle(ProgramExited{}, kStart + seconds(5));
  job.handle(TreeEnded{0}, kStart + seconds(5));
  return exited(sent(job.handle(drained, kStart + seconds(5))));
}

TEST_CASE("job: what spoiled its steps is the cause of a program that ended by itself") {
  const auto rollback = event_line("Need rollback to single stream");
  const auto one_stream = ended_with(rollback, {});
  CHECK(one_stream.cause == "single_stream_fallback");
  CHECK(one_stream.detail.id == "trial.single_stream_fallback");
  CHECK(ended_with(event_line("need to unload other models"), {}).cause == "models_unloaded");
  CHECK(ended_with(event_line("Load model from cache success."), {}).cause == protocol::kCauseExit);
  CHECK(ended_with(step(1, "Need rollback to single stream"), {}).cause == protocol::kCauseExit);

  OutputDrained drained;
  drained.spoiled = Spoiled{"foreign_process", message("trial.foreign", "somebody came")};
  CHECK(ended_with(rollback, drained).cause == "foreign_process");

  Job cancelled = running_job();
  cancelled.handle(LinesFound{{rollback}}, kStart + seconds(1));
  cancelled.handle(CancelAsked{}, kStart + seconds(5));
  cancelled.handle(TreeEnded{-15}, kStart + seconds(5));
  CHECK(exited(sent(cancelled.handle(drained, kStart + seconds(5)))).cause ==
        protocol::kCauseCancelled);
}

TEST_CASE("job: a trial ends its tree, drains, tells the exit, and goes when it is released") {
  Job job = running_job();
  CHECK(sent(job.handle(LinesFound{{step(1, "a"), step(2, "b")}}, kStart)).size() == 2);
  CHECK(find<EndTree>(job.handle(ProgramExited{}, kStart + seconds(2))) != nullptr);
  CHECK(find<DrainOutput>(job.handle(TreeEnded{3}, kStart + seconds(2))) != nullptr);
  const auto last = sent(job.handle(OutputDrained{{{"stdout.log", 9}}, 0, "x"}, kStart));
  CHECK(exited(last).exit_code == 3);
  CHECK(exited(last).cause == protocol::kCauseExit);
  CHECK(exited(last).run_us == 2'000'000);
  CHECK(exited(last).files.size() == 1);
  CHECK(job.holds_slot());
  CHECK(find<RemoveJob>(job.handle(ReleaseAsked{}, kStart)) != nullptr);
  CHECK(job.finished());
  CHECK_FALSE(job.holds_slot());
}

TEST_CASE("job: the timeout acts at its deadline and not a millisecond before") {
  Job job = running_job({.timeout = seconds(10)});
  CHECK(find<EndTree>(job.handle(Tick{}, kStart + milliseconds(9999))) == nullptr);
  CHECK(job.deadline() <= kStart + seconds(10));
  CHECK(find<EndTree>(job.handle(Tick{}, kStart + seconds(10))) != nullptr);
  CHECK(job.handle(ProgramExited{}, kStart + seconds(11)).empty());
  job.handle(TreeEnded{-15}, kStart + seconds(11));
  const auto last = sent(job.handle(OutputDrained{}, kStart + seconds(11)));
  CHECK(exited(last).cause == protocol::kCauseTimeout);
  CHECK(exited(last).exit_code == -15);
  CHECK(exited(last).run_us == 10'000'000);
}

TEST_CASE("job: what cannot start is finished at once with its reason") {
  Job job({});
  job.begin(kStart);
  const auto last = sent(job.handle(NotStarted{message("x.y", "no such program")}, kStart));
  CHECK(exited(last).cause == protocol::kCauseNotStarted);
  CHECK(exited(last).detail.text == "no such program");
  CHECK_FALSE(exited(last).started);
}

TEST_CASE("job: a trial that waits for its slot can be cancelled") {
  Job job({});
  CHECK_FALSE(job.holds_slot());
  CHECK(exited(sent(job.handle(CancelAsked{}, kStart))).cause == protocol::kCauseCancelled);
  CHECK(job.begin(kStart).empty());
}

TEST_CASE("job: a lost connection within the grace time costs nothing") {
  Job job = running_job({.reconnect_grace = seconds(60)});
  job.handle(CoordinatorGone{}, kStart);
  CHECK(sent(job.handle(LinesFound{{step(1, "a")}}, kStart + seconds(59))).empty());
  // It had acknowledged nothing, and asks from event 0: the start and the line come again.
  const auto again = sent(job.handle(CoordinatorSeen{0}, kStart + seconds(59)));
  CHECK(again.size() == 2);
  CHECK(find<EndTree>(job.handle(Tick{}, kStart + seconds(120))) == nullptr);
}

TEST_CASE("job: after the grace time the program is ended and the slot is free") {
  Job job = running_job({.reconnect_grace = seconds(60)});
  job.handle(CoordinatorGone{}, kStart);
  CHECK(find<EndTree>(job.handle(Tick{}, kStart + seconds(59))) == nullptr);
  CHECK(find<EndTree>(job.handle(Tick{}, kStart + seconds(60))) != nullptr);
  CHECK(find<DrainOutput>(job.handle(TreeEnded{0}, kStart + seconds(61))) != nullptr);
  CHECK(find<RemoveJob>(job.handle(OutputDrained{}, kStart + seconds(61))) != nullptr);
  CHECK(job.finished());
}

TEST_CASE("job: the grace time also ends a trial that had finished or was about to") {
  SUBCASE("finished") {
    Job job = running_job();
    job.handle(ProgramExited{}, kStart);
    job.handle(TreeEnded{0}, kStart);
    job.handle(OutputDrained{}, kStart);
    job.handle(CoordinatorGone{}, kStart);
    CHECK(find<RemoveJob>(job.handle(Tick{}, kStart + seconds(60))) != nullptr);
  }
  SUBCASE("ending by itself") {
    Job job = running_job();
    job.handle(CoordinatorGone{}, kStart);
    job.handle(ProgramExited{}, kStart + seconds(30));
    CHECK(find<RemoveJob>(job.handle(Tick{}, kStart + seconds(60))) == nullptr);
    job.handle(TreeEnded{0}, kStart + seconds(61));
    CHECK(find<RemoveJob>(job.handle(OutputDrained{}, kStart + seconds(61))) != nullptr);
  }
}

TEST_CASE("job: a coordinator that says goodbye has its trial ended at once") {
  Job job = running_job();
  CHECK(find<EndTree>(job.handle(CoordinatorGone{true}, kStart)) != nullptr);
  job.handle(TreeEnded{-15}, kStart);
  CHECK(find<RemoveJob>(job.handle(OutputDrained{}, kStart)) != nullptr);
}

TEST_CASE("job: its status is repeated while the coordinator is there") {
  Job job = running_job({.status_period = seconds(2)});
  CHECK(job.deadline() == kStart + seconds(2));
  const auto actions = job.handle(Tick{}, kStart + seconds(2));
  REQUIRE(find<SendStatus>(actions) != nullptr);
  CHECK(find<SendStatus>(actions)->state == protocol::TrialState::running);
  CHECK(job.deadline() == kStart + seconds(4));
}

TEST_CASE("event log: sends within its window and goes on when the coordinator acknowledges") {
  EventLog log(1000);
  for (int i = 0; i < 10; ++i) {
    log.append(protocol::StepLine{{"s"}, 1, {std::string(235, 'x')}});  // 300 each with overhead
  }
  CHECK(log.take(100).events.size() == 1);
  CHECK(log.take(10000).events.size() == 3);  // the window is reached
  CHECK(log.take(10000).events.empty());
  CHECK_FALSE(log.acknowledge(5));  // never sent
  CHECK(log.acknowledge(2));
  const EventBatch next = log.take(10000);
  CHECK(next.first == 4);
  CHECK(next.events.size() == 2);
}

TEST_CASE("event log: is asked again from any number that was not acknowledged") {
  EventLog log;
  for (int i = 0; i < 5; ++i) {
    log.append(protocol::Notice{});
  }
  CHECK(log.take().events.size() == 5);
  CHECK(log.acknowledge(2));
  CHECK_FALSE(log.rewind(1));
  CHECK_FALSE(log.rewind(6));
  CHECK(log.rewind(3));
  CHECK(log.take().first == 3);
  CHECK(log.rewind(5));
  CHECK(log.all_acknowledged());
  CHECK(log.take().events.empty());
  CHECK(log.count() == 5);
  log.append(protocol::Notice{});
  CHECK_FALSE(log.rewind(6));  // there, and never sent
  CHECK(log.take().first == 5);
}

TEST_CASE("job: nothing is said any more once it is removed") {
  Job job = running_job();
  job.handle(CoordinatorGone{}, kStart);
  job.handle(CancelAsked{}, kStart);
  job.handle(TreeEnded{-9}, kStart);
  const auto late = job.handle(OutputDrained{}, kStart);
  CHECK(find<RemoveJob>(late) == nullptr);
  // The coordinator comes back at the moment at which its time was over.
  const auto actions = job.handle(CoordinatorSeen{0}, kStart + seconds(60));
  REQUIRE(actions.size() == 1);
  CHECK(find<RemoveJob>(actions) != nullptr);
}

TEST_CASE("job: what is cancelled while its program starts is ended as soon as it runs") {
  Job job({});
  job.begin(kStart);
  job.handle(EnvironmentReady{}, kStart);
  CHECK(find<EndTree>(job.handle(CancelAsked{}, kStart)) == nullptr);
  CHECK(job.holds_slot());
  CHECK(find<EndTree>(job.handle(ProgramStarted{42, 0, "p"}, kStart)) != nullptr);
  CHECK(find<DrainOutput>(job.handle(TreeEnded{-9}, kStart)) != nullptr);
  CHECK(exited(sent(job.handle(OutputDrained{}, kStart))).cause == protocol::kCauseCancelled);
}

TEST_CASE("job: what is cancelled while its program starts, and does not start, is over") {
  Job job({});
  job.begin(kStart);
  job.handle(EnvironmentReady{}, kStart);
  job.handle(CancelAsked{}, kStart);
  const auto last = sent(job.handle(NotStarted{message("test.why", "why")}, kStart));
  CHECK(exited(last).cause == protocol::kCauseCancelled);
  CHECK_FALSE(exited(last).started);
}

TEST_CASE("job: of GE's EVENT lines so many are passed on as the wire takes; the rest is counted") {
  Job job = running_job();
  const protocol::EventLine line{{"plog/a.log"}, 1, {"[EVENT] GE(1,p): x"}};
  job.handle(LinesFound{std::vector<protocol::Event>(protocol::kEventLinesMax, line)}, kStart);
  CHECK(sent(job.handle(LinesFound{{line, line, step(3, "a")}}, kStart)).size() == 1);
  job.handle(ProgramExited{}, kStart);
  job.handle(TreeEnded{0}, kStart);
  OutputDrained drained;
  drained.facts = {{"plog_files", std::int64_t{1}}};
  const auto last = sent(job.handle(drained, kStart));
  CHECK(exited(last).facts.at("event_lines_left_out") == protocol::Fact(std::int64_t{2}));
  CHECK(exited(last).facts.at("plog_files") == protocol::Fact(std::int64_t{1}));
}

// A step line of a mebibyte.
LinesFound big_line(std::uint64_t number) {
  return {{step(number, std::string(std::size_t{1} << 20U, 'x'))}};
}

TEST_CASE("job: while much is kept for a coordinator that is away nothing more is read") {
  Job job = running_job({.reconnect_grace = seconds(60)});
  job.handle(CoordinatorGone{}, kStart);
  for (std::uint64_t number = 1; number <= 63; ++number) {
    job.handle(big_line(number), kStart);
  }
  CHECK(job.takes_lines());
  job.handle(big_line(64), kStart);
  CHECK_FALSE(job.takes_lines());
  job.handle(CoordinatorSeen{0}, kStart + seconds(9));
  CHECK_FALSE(job.takes_lines());
  job.handle(Acknowledged{3}, kStart + seconds(9));
  CHECK(job.takes_lines());
}

TEST_CASE("job: lines of an abandoned trial are read and dropped, and it counts as lost") {
  Job job = running_job({.reconnect_grace = seconds(60)});
  job.handle(CoordinatorGone{}, kStart);
  job.handle(ProgramExited{}, kStart + seconds(1));
  for (std::uint64_t number = 1; number <= 70; ++number) {
    job.handle(big_line(number), kStart + seconds(1));
  }
  CHECK_FALSE(job.takes_lines());
  job.handle(Tick{}, kStart + seconds(60));
  CHECK(job.takes_lines());
  job.handle(big_line(71), kStart + seconds(61));
  job.handle(TreeEnded{0}, kStart + seconds(61));
  // The coordinator returns before the end: it must not take this for a whole trial.
  job.handle(CoordinatorSeen{0}, kStart + seconds(61));
  job.handle(OutputDrained{}, kStart + seconds(61));
  std::vector<protocol::Event> last;
  for (std::uint64_t number = 1; number <= 71; ++number) {
    const auto events = sent(job.handle(Acknowledged{number}, kStart + seconds(61)));
    last = events.empty() ? last : events;
  }
  CHECK(exited(last).cause == protocol::kCauseLost);
}

TEST_CASE("job: a finished trial of which nobody asks anything goes after the grace time") {
  const auto finished = [] {
    Job job = running_job();
    job.handle(ProgramExited{}, kStart);
    job.handle(TreeEnded{0}, kStart);
    job.handle(OutputDrained{}, kStart);
    return job;
  };
  Job forgotten = finished();
  CHECK(find<RemoveJob>(forgotten.handle(Tick{}, kStart + seconds(59))) == nullptr);
  CHECK(find<RemoveJob>(forgotten.handle(Tick{}, kStart + seconds(60))) != nullptr);
  CHECK(forgotten.finished());

  Job fetched = finished();
  fetched.handle(FilesAsked{}, kStart + seconds(50));
  CHECK(find<RemoveJob>(fetched.handle(Tick{}, kStart + seconds(109))) == nullptr);
  fetched.handle(CoordinatorSeen{0}, kStart + seconds(109));
  CHECK(find<RemoveJob>(fetched.handle(Tick{}, kStart + seconds(168))) == nullptr);
  CHECK(find<RemoveJob>(fetched.handle(Tick{}, kStart + seconds(169))) != nullptr);
}

}  // namespace
}  // namespace mstune::agent
