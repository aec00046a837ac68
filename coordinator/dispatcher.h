// The campaign as a pure machine: what to build, upload, run, repeat and give up, and when.
//
// Events and the time go in, actions come out. It knows no sockets, processes or files: the session
// carries the actions out in their order and reports what became of them. Handling an event twice
// is harmless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "common/message.h"
#include "common/time.h"
#include "coordinator/plan.h"

namespace mstune::coordinator {

struct CampaignSettings {
  std::vector<Candidate> candidates;
  std::vector<Trial> trials;
  bool offline = false;            // candidates are built and uploaded before they run
  bool open_ended = false;         // when all trials are done, more are asked for (NeedMore)
  bool keep_going = false;         // a failed build voids its candidate, not the campaign
  std::size_t compile_jobs = 1;    // builds at the same time, from 1
  std::size_t agents = 1;          // one so far; the events carry an agent's number all the same
  std::uint32_t attempts_max = 3;  // of a trial whose failure was not the program's
  std::vector<std::uint32_t> finished;  // trials that are on disk already, by index
  std::map<std::uint32_t, std::uint32_t> attempts_before;  // of the others, from an earlier session
  Duration connect_timeout = std::chrono::seconds(15);
  Duration reconnect_grace = std::chrono::seconds(60);
  Duration agent_wait = std::chrono::seconds(1800);  // for an agent that was there and went
  Duration cancel_timeout = std::chrono::seconds(20);
};

// One execution of one trial on one agent.
struct Attempt {
  std::size_t agent = 0;
  std::uint32_t trial = 0;
  std::uint32_t number = 1;
  friend bool operator==(const Attempt&, const Attempt&) = default;
};

// ---- what happened ----
struct AgentReady {
  std::size_t agent = 0;
  std::string instance;
};
struct AgentGone {  // it does not answer; it may come back
  std::size_t agent = 0;
};
struct AgentRefused {  // it will never work: another protocol, another key
  std::size_t agent = 0;
  Message why;
};
struct Built {
  std::size_t candidate = 0;  // its place in CampaignSettings::candidates
};
struct BuildFailed {
  std::size_t candidate = 0;
  Message why;
};
struct Uploaded {
  std::size_t agent = 0;
  std::size_t candidate = 0;
};
struct UploadFailed {
  std::size_t agent = 0;
  std::size_t candidate = 0;
  Message why;
};
struct AttemptSeen {  // the agent has it: queued, running or finished
  Attempt attempt;
};
struct StrayReported {  // the agent still has an attempt, perhaps one that nobody waits for
  Attempt attempt;
  bool finished = false;  // it runs no more
};
struct AttemptExited {  // the agent's last event of it is on disk
  Attempt attempt;
  bool program_at_fault = true;  // false: it was ended for a reason that is not its own
};
struct AttemptLost {  // the agent knows nothing of it
  Attempt attempt;
};
struct AttemptRecorded {  // its files and its evaluation are on disk
  Attempt attempt;
};
struct TrialsAdded {  // the answer to NeedMore; without trials the campaign is complete
  std::vector<Candidate> candidates;  // new ones, to be built first where the campaign is offline
  std::vector<Trial> trials;          // their indices go on where those before end
};
struct InterruptAsked {};
struct Tick {};
using CampaignEvent =
    std::variant<AgentReady, AgentGone, AgentRefused, Built, BuildFailed, Uploaded, UploadFailed,
                 AttemptSeen, StrayReported, AttemptExited, AttemptLost, AttemptRecorded,
                 TrialsAdded, InterruptAsked, Tick>;

// ---- what to do ----
struct StartBuild {
  std::size_t candidate = 0;
};
struct StopBuilds {};
struct StartUpload {
  std::size_t agent = 0;
  std::size_t candidate = 0;
};
struct AssignAttempt {  // again after a reconnect, or while it has not been seen
  Attempt attempt;
};
struct CollectAttempt {  // fetch its files and record it; answered by AttemptRecorded
  Attempt attempt;
};
struct ReleaseAttempt {
  Attempt attempt;
};
struct CancelAttempt {
  Attempt attempt;
};
struct DiscardAttempt {  // it will be repeated: what came of it is kept apart from the trials
  Attempt attempt;
  Message why;
};
struct RecordVoid {  // the trial never ran and never will
  std::uint32_t trial = 0;
  std::string code;
  Message why;
};
struct NeedMore {};  // all trials are done; answered by TrialsAdded
struct Tell {
  Message what;
};
enum class Ending { complete, failed, interrupted };
struct Finish {
  Ending ending = Ending::complete;
  Message why;  // text is empty when complete
};
using CampaignAction =
    std::variant<StartBuild, StopBuilds, StartUpload, AssignAttempt, CollectAttempt, ReleaseAttempt,
                 CancelAttempt, DiscardAttempt, RecordVoid, NeedMore, Tell, Finish>;

class Dispatcher {
 public:
  Dispatcher(CampaignSettings settings, TimePoint now);

  std::vector<CampaignAction> handle(const CampaignEvent& event, TimePoint now);
  // A Tick is wanted then at the latest.
  [[nodiscard]] TimePoint deadline() const;
  // True when Finish has been asked for.
  [[nodiscard]] bool finished() const { return finished_; }

 private:
  enum class AgentState { connecting, ready, gone, given_up };
  struct Agent {
    AgentState state = AgentState::connecting;
    std::string instance;
    TimePoint deadline = kNever;  // connecting: give up then; gone: its attempts are lost then
    TimePoint give_up = kNever;   // gone: nothing more is expected of it then
  };
  enum class BuildState { left_out, waiting, building, built, uploading, uploaded, failed };
  enum class TrialState { waiting, assigned, seen, collecting, done };
  struct TrialProgress {
    TrialState state = TrialState::waiting;
    std::uint32_t attempts = 0;  // with those of earlier sessions
    std::uint32_t attempts_max = 0;
    std::size_t agent = 0;
    TimePoint assign_again = kNever;
  };

  void on(const AgentReady& event, TimePoint now);
  void on(const AgentGone& event, TimePoint now);
  void on(const AgentRefused& event, TimePoint now);
  void on(const Built& event, TimePoint now);
  void on(const BuildFailed& event, TimePoint now);
  void on(const Uploaded& event, TimePoint now);
  void on(const UploadFailed& event, TimePoint now);
  void on(const AttemptSeen& event, TimePoint now);
  void on(const StrayReported& event, TimePoint now);
  void on(const AttemptExited& event, TimePoint now);
  void on(const AttemptLost& event, TimePoint now);
  void on(const AttemptRecorded& event, TimePoint now);
  void on(const TrialsAdded& event, TimePoint now);
  void on(const InterruptAsked& event, TimePoint now);
  void on(const Tick& event, TimePoint now);

  void expire(TimePoint now);
  void proceed(TimePoint now);
  void take_over(std::size_t first);
  void choose_builds();
  void proceed_with_builds();
  void proceed_with_trials(TimePoint now);
  void assign(std::uint32_t trial, TimePoint now);
  void stop_repeating(std::size_t agent);
  void repeat_after(TrialProgress& progress, Duration wait, TimePoint now) const;
  void lose_attempts_on(std::size_t agent);
  void lose(std::uint32_t trial);
  void void_candidate(std::size_t candidate, const Message& why);
  void finish_or_ask();
  void finish(Ending ending, Message why);
  [[nodiscard]] bool in_flight(const TrialProgress& progress) const;
  [[nodiscard]] bool is_current(const Attempt& attempt) const;
  [[nodiscard]] Attempt current(std::uint32_t trial) const;

  CampaignSettings settings_;
  std::vector<Agent> agents_;
  std::vector<BuildState> builds_;     // one a candidate
  std::vector<TrialProgress> trials_;  // one a trial
  bool asked_for_more_ = false;
  bool interrupted_ = false;
  TimePoint interrupt_deadline_ = kNever;
  bool finished_ = false;
  std::vector<CampaignAction> actions_;
};

}  // namespace mstune::coordinator
