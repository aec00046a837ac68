// One trial on the agent, as a pure machine: events and the time in, actions out.
//
// It knows nothing of processes, files or sockets. The server carries its actions out in their
// order and reports what became of them as events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/event_log.h"
#include "common/ge_fallback.h"
#include "common/message.h"
#include "common/time.h"
#include "protocol/messages.h"

namespace mstune::agent {

struct JobSettings {
  Duration timeout = Duration::zero();     // of the run; zero: none
  const char* timeout_rule = "--timeout";  // whose it is, for people
  Duration reconnect_grace = std::chrono::seconds(60);
  Duration status_period = std::chrono::seconds(2);
};

// ---- what happened ----
struct EnvironmentReady {};
struct NotStarted {  // the environment, the files, the program itself, or no device in time
  Message why;
  const char* cause = protocol::kCauseNotStarted;
};
struct ProgramStarted {
  std::uint64_t pid = 0;
  std::int64_t wall_us = 0;
  std::string program;
  std::vector<protocol::DeviceReading> readings = {};
};
struct LinesFound {  // StepLine and EventLine, in their order
  std::vector<protocol::Event> lines;
};
struct Noticed {
  Message what;
};
struct ProgramExited {};   // by itself; its children may still be there
struct PlogOverflowed {};  // more than the disk is to bear
struct TreeEnded {
  std::int32_t exit_code = 0;  // negative: the signal that ended the program
};
struct Spoiled {
  std::string cause;
  Message why;
};
struct OutputDrained {
  std::vector<protocol::TrialFile> files;
  std::uint64_t output_dropped_bytes = 0;
  protocol::Bytes output_tail;
  std::vector<protocol::DeviceReading> readings = {};
  protocol::Facts facts = {};
  // Why its steps do not count although the program ended by itself.
  std::optional<Spoiled> spoiled = {};
};
struct CancelAsked {};
struct CoordinatorSeen {  // it assigned the trial, for the first time or again
  std::uint64_t events_from = 0;
};
struct CoordinatorGone {
  bool for_good = false;  // it said goodbye: nothing is waited for
};
struct Acknowledged {
  std::uint64_t events = 0;
};
struct FilesAsked {};  // its coordinator fetches what it left
struct ReleaseAsked {};
struct Tick {};
using JobEvent =
    std::variant<EnvironmentReady, NotStarted, ProgramStarted, LinesFound, Noticed, ProgramExited,
                 PlogOverflowed, TreeEnded, OutputDrained, CancelAsked, CoordinatorSeen,
                 CoordinatorGone, Acknowledged, FilesAsked, ReleaseAsked, Tick>;

// ---- what to do ----
struct PrepareEnvironment {};
struct StartProgram {};  // answered by ProgramStarted or NotStarted
struct EndTree {};       // answered by TreeEnded
struct DrainOutput {};   // answered by OutputDrained
struct SendEvents {
  EventBatch batch;
};
struct SendStatus {
  protocol::TrialState state = protocol::TrialState::unknown;
  std::uint64_t events = 0;
};
struct RemoveJob {};  // the directory goes, the slot is free
using JobAction = std::variant<PrepareEnvironment, StartProgram, EndTree, DrainOutput, SendEvents,
                               SendStatus, RemoveJob>;

class Job {
 public:
  explicit Job(JobSettings settings) : settings_(settings) {}

  // Its slot is free: prepares and runs it.
  std::vector<JobAction> begin(TimePoint now);
  std::vector<JobAction> handle(const JobEvent& event, TimePoint now);
  // A Tick is wanted then at the latest.
  [[nodiscard]] TimePoint deadline() const;
  // True when RemoveJob has been asked for.
  [[nodiscard]] bool finished() const { return state_ == State::removed; }
  // True while a program may run or is about to.
  [[nodiscard]] bool holds_slot() const;
  // True while a program of it may be at work.
  [[nodiscard]] bool is_at_work() const {
    return state_ == State::starting || state_ == State::running || state_ == State::ending;
  }
  [[nodiscard]] bool queued() const { return state_ == State::queued; }
  // True when no program of it will be at work any more.
  [[nodiscard]] bool has_ended() const {
    return state_ == State::draining || state_ == State::finished || state_ == State::removed;
  }
  // False while so much is kept for a coordinator that is slow or away that no more should be read:
  // what the program writes then waits in its pipe and in its files.
  [[nodiscard]] bool takes_lines() const;
  // As a coordinator is told.
  [[nodiscard]] protocol::TrialState told_state() const;

 private:
  enum class State { queued, preparing, starting, running, ending, draining, finished, removed };

  void on(const EnvironmentReady& event, TimePoint now);
  void on(const NotStarted& event, TimePoint now);
  void on(const ProgramStarted& event, TimePoint now);
  void on(const LinesFound& event, TimePoint now);
  void on(const Noticed& event, TimePoint now);
  void on(const ProgramExited& event, TimePoint now);
  void on(const PlogOverflowed& event, TimePoint now);
  void on(const TreeEnded& event, TimePoint now);
  void on(const OutputDrained& event, TimePoint now);
  void on(const CancelAsked& event, TimePoint now);
  void on(const CoordinatorSeen& event, TimePoint now);
  void on(const CoordinatorGone& event, TimePoint now);
  void on(const Acknowledged& event, TimePoint now);
  void on(const FilesAsked& event, TimePoint now);
  void on(const ReleaseAsked& event, TimePoint now);
  void on(const Tick& event, TimePoint now);

  void expire(TimePoint now);
  void end(const char* cause, Message detail, TimePoint now);
  void finish(TimePoint now);
  void remember(TimePoint now);
  void remove();
  void abandon(Message why, TimePoint now);
  void note_fallback(const protocol::EventLine& line);
  void remove_if_abandoned();
  void send();
  void send_status(TimePoint now);

  JobSettings settings_;
  State state_ = State::queued;
  EventLog log_;
  protocol::Exited outcome_;  // filled in as it becomes known
  std::size_t event_lines_ = 0;
  std::optional<GeFallback> fallback_;  // the first that GE told of
  bool coordinator_present_ = true;
  bool abandoned_ = false;  // the grace time is over
  TimePoint run_deadline_ = kNever;
  TimePoint grace_deadline_ = kNever;
  TimePoint next_status_ = kNever;
  TimePoint forgotten_at_ = kNever;  // finished: nobody has asked for anything of it until then
  TimePoint started_;
  std::vector<JobAction> actions_;
};

}  // namespace mstune::agent
