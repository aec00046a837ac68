// The coordinator's loop: waits, hands every event to the dispatcher, carries out what comes back.
//
// It knows builds, connections, recorders and collectors; it decides nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/os/signals.h"
#include "coordinator/bundle.h"
#include "coordinator/collector.h"
#include "coordinator/compiler.h"
#include "coordinator/connection.h"
#include "coordinator/dispatcher.h"
#include "coordinator/local_agent.h"
#include "coordinator/move_turn.h"
#include "coordinator/progress.h"
#include "coordinator/run_directory.h"
#include "coordinator/stages.h"
#include "coordinator/trial_recorder.h"

namespace mstune::coordinator {

// One agent, and what is run there.
struct AgentOptions {
  std::string name;  // for people: "npu-a:18600"
  std::string endpoint;
  std::optional<os::ConnectSecurity> security;
  protocol::TrialSpec spec;           // what all trials there have in common
  std::size_t devices_per_trial = 1;  // from 1
  std::vector<BundledFile> files;     // that go along with each candidate
  bool keep_files = true;             // the agent may keep them
  // Asks for the pass to be held on there; nothing where it is not held for this run.
  std::optional<protocol::ManagePass> lease = {};
};

struct SessionOptions {
  std::vector<AgentOptions> agents;  // at least one
  CampaignSettings campaign;
  std::optional<CampaignDocument> document;  // written again when the devices are known
  Gates gates;
  std::string mode_variable;                   // set to the candidate for each trial; empty offline
  BuildRequest build;                          // offline: what all builds have in common
  Duration upload_timeout = Duration::zero();  // zero: none
  std::string digest_pattern;                  // empty: results are not compared
  std::string session_id;                      // 1 to 64 characters; agents know the campaign by it
  PlogChoice plog = PlogChoice::all;
  std::uint64_t plog_limit_bytes = std::uint64_t{64} << 20U;  // of a trial
  std::uint64_t records_max = 10'000'000;                     // of a trial; more end it
  std::vector<EvaluatedTrial> finished;                       // on disk from an earlier session
  std::map<std::uint32_t, LeftAttempt> unfinished;            // that may still run, by trial
  std::optional<Fleet> before;  // who took part in that session, with the devices it knew
  std::map<std::string, std::string> server_keys;  // that have answered in it, by agent
  std::map<std::string, BuiltOm> oms;  // built before and not to be exchanged, by candidate
  MatchRules match;
  bool allow_mismatch = false;  // agents that do not fit together are only told of
};

struct SessionResult {
  Ending ending = Ending::complete;
  bool left_at_once = false;           // interrupted twice: builds may still run
  bool left_behind = false;            // something that a person has to remove; it was told
  Message why;                         // text is empty when complete
  std::vector<EvaluatedTrial> trials;  // those that are on disk, by index
  std::map<std::string, std::string> versions;  // of the first agent and, if one, its device
  std::optional<Fleet> fleet;                   // of a campaign with more than one device
};

class Session {
 public:
  // `stages` says what comes after the trials of the options.
  Session(SessionOptions options, Stages& stages, const RunDirectory& directory,
          Progress& progress);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Its end is heard of, and it is started again as often as a trial would be run.
  void use_local_agent(LocalAgent& agent) { local_ = &agent; }

  // Runs the campaign. SIGINT, SIGTERM and SIGHUP interrupt it; a second SIGINT or SIGTERM
  // leaves at once.
  SessionResult run();

 private:
  struct ActiveTrial {  // one attempt that an agent has or should have
    struct Seen {       // how it stood when its agent told last
      protocol::TrialState state = protocol::TrialState::unknown;
      std::uint64_t count = 0;  // of its events, and of the pieces of its files
      friend bool operator==(const Seen&, const Seen&) = default;
    };
    Attempt attempt;
    std::size_t device = 0;
    TrialRecorder recorder;
    std::optional<Collector> collector;
    bool exit_told = false;
    bool cancel_sent = false;
    std::uint64_t acknowledged = 0;        // events that the agent knows to be safe
    std::uint64_t progress_at_status = 0;  // so much had come when it was last heard how it stands
    Seen seen = {};
  };
  struct Shipment {  // what a candidate's trials need at an agent
    std::vector<ReadFile> files;
    std::size_t under_way = 0;
  };
  using Destination = std::pair<std::size_t, std::size_t>;  // agent, candidate
  struct ActiveBuild {
    std::size_t candidate = 0;
    Build build;
    TimePoint started;
  };
  struct AgentSide {
    std::unique_ptr<Connection> connection;
    std::string instance;                           // once it said so
    std::vector<std::vector<std::int32_t>> groups;  // of devices; each runs one trial at a time
    std::vector<std::string> chips;                 // one for each group
    std::vector<std::vector<std::int32_t>> before;  // the groups of an earlier session
    std::uint64_t bytes_sent_before = 0;
    bool renews_lease = false;
    bool found = false;  // when all was over: it answered, and can be told
  };

  void go_on();
  void say_goodbye();
  void wait(os::PollSet& polled, TimePoint now);
  [[nodiscard]] TimePoint deadline() const;
  void look_at_signals(TimePoint now);
  void look_at_local_agent(TimePoint now);
  void step_builds(TimePoint now);
  void step_turn(TimePoint now);
  void step_agents(const os::PollSet& polled, TimePoint now);
  void take_over_finished(const std::vector<Trial>& planned);
  void put_aside_unplanned();
  void find_former_agents();
  void renew_leases(TimePoint now);
  void take_lost_lease(std::size_t agent, const Message& why);
  void sort_results();
  void dispatch(const CampaignEvent& event, TimePoint now);
  void carry_out(const CampaignAction& action, TimePoint now);

  void start_build(std::size_t candidate, TimePoint now);
  bool take_over_om(std::size_t candidate, TimePoint now);
  bool is_same_om(const Destination& destination, const ReadFile& file, TimePoint now);
  void start_upload(const StartUpload& upload, TimePoint now);
  void ship(const Destination& destination, std::vector<ReadFile> files);
  void take_shipped(FileId file, const std::optional<Message>& failure, TimePoint now);
  void finish_upload(const Destination& destination, const std::optional<Message>& failure,
                     TimePoint now);
  [[nodiscard]] TrialRecorder recorder_of(const Attempt& attempt) const;
  void assign(const AssignAttempt& action, TimePoint now);
  void assign_again(ActiveTrial& active, TimePoint now);
  void send_assignment(ActiveTrial& active);
  void note_left_out(const WantedFiles& wanted);
  void fetch_more(ActiveTrial& active, TimePoint now);
  void fetch_what_is_due(TimePoint now);
  [[nodiscard]] std::size_t gentle_sharers(std::size_t agent) const;
  void collect(const Attempt& attempt, TimePoint now);
  void finish_trial(std::uint32_t trial, TimePoint now);
  void forget(const Attempt& attempt);
  void ask_stages(TimePoint now);
  void discard_attempt(const DiscardAttempt& action);
  void record_void(const RecordVoid& action);

  // the fleet
  void take_over_fleet();
  void note_devices();
  bool add_devices();
  void check_fleet(TimePoint now);
  [[nodiscard]] std::optional<Message> refusal(const Fleet& fleet);
  [[nodiscard]] std::optional<Message> refusal_of(
      std::size_t agent, const protocol::Welcome& welcome,
      const std::vector<std::vector<std::int32_t>>& groups);
  void refuse_to_go_on(const std::optional<Message>& why);
  [[nodiscard]] bool offers_others(const AgentSide& side,
                                   const std::vector<std::vector<std::int32_t>>& groups) const;
  void give_up(const GiveUpDevice& action);
  void give_up(const GiveUpAgent& action, TimePoint now);
  void write_fleet();
  void write_looks();
  void write_campaign();

  void take(std::size_t agent, const ConnectionEvent& event, TimePoint now);
  void take(std::size_t agent, const protocol::Report& report, const std::string& payload,
            TimePoint now);
  void take_events(const protocol::Events& events, TimePoint now);
  void take_status(std::size_t agent, const protocol::Status& status, TimePoint now);
  void end_if_flooded(ActiveTrial& active);
  void ask_again_if_stalled(ActiveTrial& active, const protocol::Status& status, TimePoint now);
  void take_welcome(std::size_t agent, const protocol::Welcome& welcome, TimePoint now);
  [[nodiscard]] protocol::TrialKey key_of(const Attempt& attempt) const;
  [[nodiscard]] ActiveTrial* active(const protocol::TrialKey& key);
  void send(std::size_t agent, const protocol::Request& request);

  SessionOptions options_;
  Stages& stages_;
  const RunDirectory& directory_;
  Progress& progress_;
  os::SignalDescriptor signals_;
  std::string campaign_id_;
  Dispatcher dispatcher_;
  MoveTurn turn_;
  bool may_move_ = false;  // as the dispatcher knows it
  std::vector<ActiveBuild> builds_;
  std::vector<StartUpload> held_uploads_;             // until no build writes beside their OM
  std::map<std::size_t, std::filesystem::path> oms_;  // by candidate, once built
  std::map<Destination, Shipment> shipments_;
  std::map<FileId, Destination> shipped_for_;  // of each file under way
  FileId last_file_ = 0;
  std::map<std::uint32_t, ActiveTrial> active_;  // by trial
  Fleet fleet_;
  bool fleet_checked_ = false;
  std::uint64_t descriptors_max_ = 0;
  TimePoint renew_leases_at_ = kNever;
  SessionResult result_;
  LocalAgent* local_ = nullptr;  // this process's own; nothing: there are targets
  std::uint32_t local_deaths_ = 0;
  bool interrupted_ = false;
  bool refused_ = false;  // it cannot go on with what an earlier session began
  os::Worker worker_;     // reads pieces that are sent
  os::Worker digesting_;  // reads whole files: nothing that is under way waits for that
  BundleReader reader_;
  std::vector<AgentSide> agents_;
};

}  // namespace mstune::coordinator
