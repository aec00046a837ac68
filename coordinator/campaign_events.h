// What happens to a campaign and what is to be done about it: the dispatcher's events and actions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "common/message.h"
#include "common/time.h"
#include "coordinator/fleet.h"
#include "coordinator/plan.h"

namespace mstune::coordinator {

// What one trial has for itself.
struct CampaignDevice {
  std::size_t agent = 0;
  std::size_t place = 0;  // among the devices of its agent
};

// A trial that an earlier session left on disk. It counts where the same one is planned now.
struct FinishedTrial {
  Trial trial;
  bool never_ran = false;  // its build failed: it would not run elsewhere either
};

struct CampaignSettings {
  std::vector<Candidate> candidates;
  std::vector<Trial> trials;     // replicate: those of one device
  bool offline = false;          // candidates are built and uploaded before they run
  bool open_ended = false;       // when all trials are done, more are asked for (NeedMore)
  bool keep_going = false;       // a failed build voids its candidate, not the campaign
  bool pipeline = false;         // a trial starts when its own OM is there, not when all are
  std::size_t compile_jobs = 1;  // builds at the same time, from 1
  std::size_t agents = 1;
  std::vector<std::string> agent_names;  // for people; may be empty where there is one
  std::string machine;                   // boot id of the one that builds and sends
  Spread spread = Spread::share;
  Order order{OrderKind::fixed, 0};  // replicate: further devices get orders of their own
  bool check_fleet = false;          // ask whether the agents fit together (CheckFleet)
  std::uint32_t attempts_max = 3;    // of a trial whose failure was not the program's
  // Of an earlier session, by the indices of trials:
  std::map<std::uint32_t, FinishedTrial> finished;
  std::map<std::uint32_t, std::uint32_t> attempts_before;
  std::map<std::uint32_t, LeftTrial> unfinished;
  std::vector<CampaignDevice> devices;  // by their numbers
  Duration connect_timeout = std::chrono::seconds(15);
  Duration reconnect_grace = std::chrono::seconds(60);
  Duration agent_wait = std::chrono::seconds(1800);  // for an agent that was there and went
  Duration cancel_timeout = std::chrono::seconds(20);
  Duration trial_timeout = Duration::zero();            // the agent's, of a run; zero: none
  Duration stall_timeout = std::chrono::seconds(1800);  // of a trial without one; zero: none
};

// One execution of one trial on one agent. The number tells on which device: a trial that moves to
// another one gets a new number.
struct Attempt {
  std::size_t agent = 0;
  std::uint32_t trial = 0;
  std::uint32_t number = 1;
  friend bool operator==(const Attempt&, const Attempt&) = default;
};

// What is left to be built, and to be sent from the machine that builds.
struct Moves {
  bool wanted = false;     // some of it could begin, if others on the machine let it
  bool under_way = false;  // some of it has begun
  friend bool operator==(const Moves&, const Moves&) = default;
};

// ---- what happened ----
struct AgentReady {
  std::size_t agent = 0;
  std::string instance;
  std::size_t devices = 1;   // it offers so many; the same number each time
  std::string machine = {};  // its boot id; empty: shared with nobody that is known
};
struct AgentGone {  // it does not answer; it may come back
  std::size_t agent = 0;
};
struct AgentRefused {  // it will never work: another protocol, another key, another CANN
  std::size_t agent = 0;
  Message why;
};
struct AgentUnreachable {  // what leads to it ends connections, for now
  std::size_t agent = 0;
  Message why;
};
struct FleetChecked {  // the answer to CheckFleet
  Message refusal;     // text is empty: they fit
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
  bool broken = false;  // on the way: it may get through at another time
};
struct AttemptSeen {  // the agent has it: queued, running or finished
  Attempt attempt;
  bool is_queued = false;
  bool has_changed = true;  // anything of it, since it was seen last
};
struct StrayReported {  // the agent still has an attempt, perhaps one that nobody waits for
  Attempt attempt;
  bool finished = false;  // it runs no more
};
enum class Trouble {
  none,
  not_started,  // the program, its files or its environment: another agent may have them
  device_busy,  // somebody else kept the device, for as long as the agent waits
  disturbed,    // somebody else came onto the device while it ran
};
struct AttemptExited {  // the agent's last event of it is on disk
  Attempt attempt;
  bool program_at_fault = true;  // false: it was ended for a reason that is not its own
  Trouble trouble = Trouble::none;
  Message why = {};  // of the trouble
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
struct TurnChanged {  // others on the machine that builds and sends do not measure now, or do
  bool may_move = true;
};
struct InterruptAsked {};
struct Tick {};
using CampaignEvent =
    std::variant<AgentReady, AgentGone, AgentRefused, AgentUnreachable, FleetChecked, Built,
                 BuildFailed, Uploaded, UploadFailed, AttemptSeen, StrayReported, AttemptExited,
                 AttemptLost, AttemptRecorded, TrialsAdded, TurnChanged, InterruptAsked, Tick>;

// ---- what to do ----
struct CheckFleet {};  // all agents have answered, or are not waited for any more
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
  std::size_t device = 0;  // its number in the campaign
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
struct DiscardAttempt {  // it will be repeated: what came of it is kept apart from the trials, even
  Attempt attempt;       // where it was recorded before
  Message why;
};
struct RecordVoid {  // the trial never ran and never will
  std::uint32_t trial = 0;
  std::string code;
  Message why;
};
struct GiveUpDevice {  // for the records: nothing more runs there
  std::size_t device = 0;
  Message why;
};
struct GiveUpAgent {  // as above, with all its devices
  std::size_t agent = 0;
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
using CampaignAction = std::variant<CheckFleet, StartBuild, StopBuilds, StartUpload, AssignAttempt,
                                    CollectAttempt, ReleaseAttempt, CancelAttempt, DiscardAttempt,
                                    RecordVoid, GiveUpDevice, GiveUpAgent, NeedMore, Tell, Finish>;

}  // namespace mstune::coordinator
