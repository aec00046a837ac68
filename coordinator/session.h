// The coordinator's loop: waits, hands every event to the dispatcher, carries out what comes back.
//
// It knows builds, the connection, recorders and collectors; it decides nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/os/signals.h"
#include "coordinator/collector.h"
#include "coordinator/compiler.h"
#include "coordinator/connection.h"
#include "coordinator/dispatcher.h"
#include "coordinator/progress.h"
#include "coordinator/run_directory.h"
#include "coordinator/stages.h"
#include "coordinator/trial_recorder.h"

namespace mstune::coordinator {

struct SessionOptions {
  std::string endpoint;  // of the agent
  std::optional<os::ConnectSecurity> security;
  CampaignSettings campaign;
  Gates gates;
  protocol::TrialSpec spec;   // what all trials have in common
  std::string mode_variable;  // set to the candidate for each trial; empty offline
  BuildRequest build;         // offline: what all builds have in common
  std::map<Candidate, std::filesystem::path> built;  // OMs that are there and need no build
  Duration upload_timeout = Duration::zero();        // zero: none
  std::string digest_pattern;                        // empty: results are not compared
  std::vector<BundledFile> files;                    // that go along with each candidate
  bool keep_files = true;                            // the agent may keep them
  std::string session_id;  // 1 to 64 characters; agents know the campaign by it
  PlogChoice plog = PlogChoice::all;
  std::uint64_t plog_limit_bytes = std::uint64_t{64} << 20U;  // of a trial
  std::uint64_t records_max = 10'000'000;                     // of a trial; more end it
  std::vector<EvaluatedTrial> finished;                       // on disk from an earlier session
  std::map<std::uint32_t, AttemptProgress> unfinished;  // attempts that may still run, by trial
  std::map<std::string, BuiltOm> oms;                   // that it built, by candidate
};

struct SessionResult {
  Ending ending = Ending::complete;
  Message why;                                  // text is empty when complete
  std::vector<EvaluatedTrial> trials;           // those that are on disk, by index
  std::map<std::string, std::string> versions;  // that the agent told
};

class Session {
 public:
  // `stages` says what comes after the trials of the options.
  Session(SessionOptions options, Stages& stages, const RunDirectory& directory,
          Progress& progress);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Runs the campaign. SIGINT and SIGTERM interrupt it; a second one leaves at once.
  SessionResult run();

 private:
  struct ActiveTrial {  // one attempt that the agent has or should have
    Attempt attempt;
    TrialRecorder recorder;
    std::optional<Collector> collector;
    bool exit_told = false;
    bool cancel_sent = false;
    std::uint64_t acknowledged = 0;        // events that the agent knows to be safe
    std::uint64_t progress_at_status = 0;  // so much had come when it was last heard how it stands
  };
  struct Shipment {  // what a candidate's trials need at the agent
    std::vector<ReadFile> files;
    std::size_t under_way = 0;
  };
  struct ActiveBuild {
    std::size_t candidate = 0;
    Build build;
    TimePoint started;
  };

  void go_on();
  void wait(os::PollSet& polled, TimePoint now);
  [[nodiscard]] TimePoint deadline() const;
  void look_at_signals(TimePoint now);
  void step_builds(TimePoint now);
  void step_connection(TimePoint now);
  void take_over_finished(const std::vector<Trial>& planned);
  void dispatch(const CampaignEvent& event, TimePoint now);
  void carry_out(const CampaignAction& action, TimePoint now);

  void start_build(std::size_t candidate, TimePoint now);
  bool take_over_om(std::size_t candidate, TimePoint now);
  bool is_same_om(std::size_t candidate, const ReadFile& file, TimePoint now);
  void start_upload(std::size_t candidate);
  void ship(std::size_t candidate, std::vector<ReadFile> files);
  void take_shipped(FileId file, const std::optional<Message>& failure, TimePoint now);
  void finish_upload(std::size_t candidate, const std::optional<Message>& failure, TimePoint now);
  void assign(const Attempt& attempt);
  [[nodiscard]] TrialRecorder recorder_of(const Attempt& attempt) const;
  void collect(ActiveTrial& active, TimePoint now);
  void finish_trial(TimePoint now);
  void ask_stages(TimePoint now);
  void discard_attempt(const DiscardAttempt& action);
  void record_void(const RecordVoid& action);

  void take(const ConnectionEvent& event, TimePoint now);
  void take(const protocol::Report& report, const std::string& payload, TimePoint now);
  void take_events(const protocol::Events& events, TimePoint now);
  void take_status(const protocol::Status& status, TimePoint now);
  void end_if_flooded();
  void ask_again_if_stalled(const protocol::Status& status);
  void take_welcome(const protocol::Welcome& welcome, TimePoint now);
  [[nodiscard]] protocol::TrialKey key_of(const Attempt& attempt) const;
  [[nodiscard]] bool is_active(const protocol::TrialKey& key) const;

  SessionOptions options_;
  Stages& stages_;
  const RunDirectory& directory_;
  Progress& progress_;
  os::SignalDescriptor signals_;
  std::string campaign_id_;
  std::string instance_;  // of the agent, once it said so
  Dispatcher dispatcher_;
  std::vector<ActiveBuild> builds_;
  std::map<std::size_t, std::filesystem::path> oms_;  // by candidate, once built
  std::map<std::size_t, Shipment> shipments_;         // by candidate
  std::map<FileId, std::size_t> shipped_for_;         // the candidate of each file under way
  FileId last_file_ = 0;
  std::uint64_t bytes_sent_before_ = 0;
  std::optional<ActiveTrial> active_;
  SessionResult result_;
  bool interrupted_ = false;
  bool left_at_once_ = false;
  os::Worker worker_;
  BundleReader reader_;
  Connection connection_;
};

}  // namespace mstune::coordinator
