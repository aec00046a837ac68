// The campaign as a pure machine: what to build, upload, run, repeat and give up, where and when.
//
// Events and the time go in, actions come out. It knows no sockets, processes or files: the session
// carries the actions out in their order and reports what became of them. Handling an event twice
// is harmless.
//
// Work is given out in blocks: the trials of one round. A block runs on one device from its first
// trial to its last, because its candidates are compared with its own `default`. One that has to
// move to another device begins anew there.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>

#include "coordinator/campaign_events.h"
#include "protocol/messages.h"

namespace mstune::coordinator {

class Dispatcher {
 public:
  Dispatcher(CampaignSettings settings, TimePoint now);

  std::vector<CampaignAction> handle(const CampaignEvent& event, TimePoint now);
  // A Tick is wanted then at the latest.
  [[nodiscard]] TimePoint deadline() const;
  // What is left to be built and sent.
  [[nodiscard]] const Moves& moves() const { return moves_; }
  // True when Finish has been asked for.
  [[nodiscard]] bool finished() const { return finished_; }

  [[nodiscard]] const Trial& trial(std::uint32_t index) const { return settings_.trials[index]; }
  [[nodiscard]] std::size_t trials() const { return settings_.trials.size(); }
  [[nodiscard]] const std::vector<Candidate>& candidates() const { return settings_.candidates; }
  // By their numbers. They are known once the agents have answered; a later one adds its own.
  [[nodiscard]] std::size_t device_count() const { return devices_.size(); }
  [[nodiscard]] const CampaignDevice& device(std::size_t number) const {
    return devices_[number].where;
  }
  // True when the campaign has, or was meant to have, more than one device.
  [[nodiscard]] bool has_fleet() const { return settings_.agents > 1 || devices_.size() > 1; }

 private:
  static constexpr Duration kAssignAgain = std::chrono::seconds(2);
  // An agent tells how a trial stands every 2 s. One that tells nothing for this long has dropped
  // the trial, or does not know that it is spoken to again: either way it has to be asked.
  static constexpr Duration kUnheardMax = protocol::kSilenceMax;

  // late: did not answer in time, may still join.
  enum class AgentState { connecting, late, ready, gone, given_up };
  enum class UploadState { none, uploading, uploaded };
  struct Agent {
    AgentState state = AgentState::connecting;
    std::string instance;
    std::string machine;
    std::size_t offered = 0;                      // devices
    bool registered = false;                      // they have numbers
    std::vector<UploadState> uploads;             // by candidate
    std::map<std::size_t, std::uint32_t> broken;  // uploads by candidate, and how often
    bool has_files = false;                       // all that can be uploaded is there
    Message unreachable;  // why, while it is connecting; text is empty where it is not known
    TimePoint deadline = kNever;  // connecting: late then; gone: its attempts are lost then
    TimePoint give_up = kNever;   // gone: nothing more is expected of it then
  };
  struct Device {
    CampaignDevice where;
    bool given_up = false;
    std::uint32_t failures = 0;          // in a row, of trials that did not start
    std::uint32_t overdue = 0;           // in a row, of attempts whose end was never told
    std::optional<std::size_t> block;    // that it works at
    std::optional<std::uint32_t> trial;  // in flight
    std::optional<std::uint32_t> left;   // that an earlier session left running; it goes first
    std::deque<std::size_t> own_blocks;  // replicate: those that are left
  };
  struct Block {
    std::uint32_t first = 0;  // its trials are consecutive
    std::uint32_t count = 0;
    std::uint32_t left = 0;             // that are not done
    std::optional<std::size_t> device;  // where its done trials ran
    std::optional<std::size_t> avoid;   // it did not start there
  };
  enum class BuildState { left_out, waiting, building, built, failed };
  enum class TrialState { waiting, assigned, seen, collecting, done };
  struct TrialProgress {
    TrialState state = TrialState::waiting;
    bool never_runs = false;  // its build failed
    std::size_t block = 0;
    std::uint32_t attempts = 0;  // with those of earlier sessions
    std::uint32_t attempts_before = 0;
    std::uint32_t losses = 0;  // in this session
    TimePoint assign_again = kNever;
    bool runs = false;           // as its agent says
    TimePoint overdue = kNever;  // its agent should have told of its end by then
  };
  enum class Phase { gathering, checking, running };

  void on(const AgentReady& event, TimePoint now);
  void on(const AgentGone& event, TimePoint now);
  void on(const AgentRefused& event, TimePoint now);
  void on(const AgentUnreachable& event, TimePoint now);
  void on(const FleetChecked& event, TimePoint now);
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
  void on(const TurnChanged& event, TimePoint now);
  void on(const InterruptAsked& event, TimePoint now);
  void on(const Tick& event, TimePoint now);

  // agents and time
  void expire(TimePoint now);
  void expire(std::size_t agent, TimePoint now);
  void proceed(TimePoint now);
  void gather();
  bool give_up_when_none_is_left();
  void give_up_agent(std::size_t agent, const Message& why);
  void finish_or_ask();
  void finish(Ending ending, Message why);
  [[nodiscard]] Message who(std::size_t agent) const;

  // builds and uploads
  void choose_builds(std::size_t first_trial);
  using Machines = std::set<std::string>;
  void proceed_with_files();
  void proceed_with_builds(const Machines& measuring);
  void proceed_with_uploads(std::size_t agent, const Machines& measuring);
  [[nodiscard]] Machines measuring_machines() const;
  [[nodiscard]] bool has_moves_under_way() const;
  [[nodiscard]] bool has_files_of(std::size_t agent, std::uint32_t trial) const;
  void void_candidate(std::size_t candidate, std::size_t first_trial, const Message& why);

  // work
  void register_devices(std::size_t agent);
  void add_trials(std::size_t first_trial);
  void add_device(const CampaignDevice& where);
  void add_blocks(std::size_t first_trial);
  void add_replica(std::size_t device);
  void run_anew(std::uint32_t trial);
  void proceed_with_trials(TimePoint now);
  [[nodiscard]] bool usable(const Device& device) const;
  std::optional<std::uint32_t> next_trial(std::size_t device);
  bool take_block(std::size_t device);
  void begin_anew(Block& block);
  void put_back(std::size_t device);
  void assign(std::size_t device, std::uint32_t trial, TimePoint now);
  void lose(std::uint32_t trial, std::string_view code, const Message& why);
  void lose_attempts_on(std::size_t agent);
  [[nodiscard]] Message lost_text(std::uint32_t trial) const;
  void make_void(std::uint32_t trial, std::string_view code, const Message& why);
  void set_done(std::uint32_t trial);
  void land(std::uint32_t trial);
  void suffer(const AttemptExited& event);
  void give_up_device(std::size_t device, const Message& why);

  // how long an attempt may take
  [[nodiscard]] Duration run_limit() const;
  [[nodiscard]] TimePoint overdue_at(std::size_t device) const;
  void expect_end(std::uint32_t trial, TimePoint now);
  void expect_end_anew(std::size_t agent, TimePoint now);
  void lose_overdue(std::size_t device, TimePoint now);

  void drop_work(std::size_t device, const Message& why);
  void stop_repeating(std::size_t agent);
  void repeat_after(TrialProgress& progress, Duration wait, TimePoint now) const;
  [[nodiscard]] bool in_flight(const TrialProgress& progress) const;
  [[nodiscard]] bool is_current(const Attempt& attempt) const;
  [[nodiscard]] Attempt current(std::uint32_t trial) const;

  // what an earlier session left
  void take_up(std::size_t first_block);
  void take_up_left(std::uint32_t trial);
  void take_up_finished(std::uint32_t trial);
  bool take_up_block(std::size_t block, std::size_t device);
  void abandon_left(std::size_t device);
  [[nodiscard]] bool waits_for_left(const Attempt& attempt) const;

  CampaignSettings settings_;
  Phase phase_ = Phase::gathering;
  std::vector<Agent> agents_;
  std::vector<Device> devices_;
  std::vector<BuildState> builds_;     // one a candidate
  std::vector<TrialProgress> trials_;  // one a trial
  std::vector<Block> blocks_;
  std::deque<std::size_t> open_blocks_;  // share: that nobody works at
  std::size_t base_trials_ = 0;          // replicate: those of the settings
  std::size_t unfinished_ = 0;           // trials that are not done
  std::size_t in_flight_ = 0;
  bool files_changed_ = true;
  bool files_held_ = false;   // something was not built or sent because a trial runs there
  Machines moving_machines_;  // files are built, sent or received there, or wait to be
  Moves moves_;
  bool may_move_ = true;
  bool asked_for_more_ = false;
  bool interrupted_ = false;
  TimePoint interrupt_deadline_ = kNever;
  Message last_trouble_;
  bool finished_ = false;
  std::vector<CampaignAction> actions_;
};

}  // namespace mstune::coordinator
