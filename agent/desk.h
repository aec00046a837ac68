// The agent's front desk, as a pure machine: who is in session, whose trial is whose, and who gets
// a device next.
//
// Every message that a peer sends comes here first, as bytes; nothing in it is believed. What a
// trial or an upload does is its own machine's business: the server carries out what is said here.
// A trial belongs to the client (the name of a key) that began it, and only that client's sessions
// of the same campaign reach it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "agent/campaign_files.h"
#include "agent/download.h"
#include "agent/job.h"
#include "agent/policy.h"
#include "agent/slots.h"
#include "common/time.h"
#include "protocol/codec.h"

namespace mstune::agent {
namespace desk {

// ---- what happened ----
struct MessageArrived {
  std::string peer;    // ZeroMQ's routing id: chosen by the peer, so never trusted alone
  std::string client;  // the name of its key; empty at an agent without keys
  std::string header;
  std::string key = {};  // as text; empty at an agent without keys
};
struct TrialGone {  // its job has finished; `stuck`: a process of it cannot be killed
  protocol::TrialKey key;
  bool stuck = false;
};
struct StuckGone {  // nothing is left any more of a trial that was gone but for such a process
  protocol::TrialKey key;
};
struct UploadRefused {  // after it was passed to the files: it does not count
  SessionId session = 0;
  std::uint64_t upload = 0;
};
// Of keys that are not on the list any more. `clients` have none left.
struct KeysTakenOff {
  std::vector<std::string> keys;
  std::vector<std::string> clients;
};
struct StopAsked {};
struct Tick {};
using Event = std::variant<MessageArrived, TrialGone, StuckGone, UploadRefused, KeysTakenOff,
                           StopAsked, Tick>;

// ---- what to do, in this order ----
struct Reply {
  std::string peer;
  protocol::Report report;
};
struct PassToFiles {  // with the payload of the message that it answers
  SessionId session = 0;
  protocol::Request request;
};
struct EndSession {  // its uploads and questions are over
  SessionId session = 0;
  std::string campaign;
};
struct AskBox {  // about the machine, with the payload of the message that it answers
  std::string campaign;
  protocol::Request request;
  std::string client = {};
};
struct CreateTrial {  // it waits until BeginTrial
  protocol::TrialKey key;
  protocol::TrialSpec spec;
  std::string client;
};
struct BeginTrial {
  protocol::TrialKey key;
  std::vector<int> devices;  // empty: device selection is left alone
};
struct TellTrial {
  protocol::TrialKey key;
  JobEvent event;
};
struct FetchFile {
  protocol::Fetch request;
};
struct HoldFile {  // it is not to be dropped before LetGo
  Digest identity{};
};
struct LetGo {
  FilesLeft files;
};
struct ReportCondition {  // what the desk knows; the store's figures and the age are to be filled
                          // in
  SessionId session = 0;
  protocol::Condition condition;
};
struct PurgeStore {
  SessionId session = 0;
};
using Action = std::variant<Reply, PassToFiles, AskBox, EndSession, CreateTrial, BeginTrial,
                            TellTrial, FetchFile, HoldFile, LetGo, ReportCondition, PurgeStore>;

// While trials may not begin on this machine.
inline constexpr std::chrono::milliseconds kAskForTurnEvery{50};

struct Options {
  protocol::Welcome greeting;                // what this agent says of itself
  std::map<std::string, Message> told_once;  // to these campaigns alone, when they come
  std::vector<int> devices;                  // logic ids; empty: one slot
  std::optional<Policy> policy;              // nothing: a coordinator's own agent
  Duration reconnect_grace = std::chrono::seconds(60);
  std::size_t sessions_max = 256;
  std::size_t trials_max = 256;  // of one client
  // Of those, that wait for a device; as many as there are devices in any case.
  std::size_t waiting_max = 16;
  Duration status_period = std::chrono::seconds(2);  // of those that wait
  Duration ask_again_every = kAskForTurnEvery;
  // Whether trials may begin on this machine; asked when one could. Nothing: always.
  std::function<bool()> may_measure;
  // Of the toolkit that trials with this cann_env will use; empty where it cannot be told.
  std::function<std::string(const std::string& cann_env)> cann_version;
};

}  // namespace desk

class Desk {
 public:
  explicit Desk(desk::Options options);

  std::vector<desk::Action> handle(const desk::Event& event, TimePoint now);
  [[nodiscard]] TimePoint deadline() const;  // hand in a Tick then at the latest

  // Where reports go now; nothing when nobody is there.
  [[nodiscard]] std::optional<std::string> peer_of_session(SessionId session) const;
  [[nodiscard]] std::optional<std::string> peer_of_campaign(const std::string& campaign) const;

  // 0 when nobody is there.
  [[nodiscard]] SessionId session_of_campaign(const std::string& campaign) const;

  [[nodiscard]] std::size_t sessions() const { return sessions_.size(); }
  [[nodiscard]] std::size_t trials() const { return trials_.size(); }
  [[nodiscard]] bool has_waiting_trials() const { return !slots_.waiting().empty(); }
  // Of the client that holds a pass under this name, as it stands in what AskBox hands on.
  [[nodiscard]] bool has_trials_of(const std::string& holder) const;

 private:
  struct Session {
    SessionId number = 0;
    std::string peer;
    std::string client;
    std::string campaign;
    TimePoint last_heard;
    std::string key = {};
    std::map<std::uint64_t, Digest> offers = {};  // that count for the campaign, by upload
  };

  void on(const desk::MessageArrived& event, TimePoint now);
  void on(const desk::TrialGone& event, TimePoint now);
  void on(const desk::StuckGone& event, TimePoint now);
  void on(const desk::UploadRefused& event, TimePoint now);
  void on(const desk::KeysTakenOff& event, TimePoint now);
  void on(const desk::StopAsked& event, TimePoint now);
  void on(const desk::Tick& event, TimePoint now);

  void greet(const desk::MessageArrived& arrived, const protocol::Hello& hello, TimePoint now);
  void take(Session& session, protocol::Request request, TimePoint now);
  void assign(const Session& session, const protocol::Assign& request, TimePoint now);
  void ask_box(const Session& session, protocol::Request request);
  void take_trial_request(const Session& session, const protocol::Request& request);
  void leave(const std::string& campaign, bool for_good, TimePoint now);
  void take_offer(Session& session, const protocol::Offer& offer);
  bool hold(const std::string& campaign, const protocol::Bytes& identity, std::uint64_t bytes);
  void let_go(FilesLeft files);
  void inspect(const Session& session, const protocol::Inspect& request, TimePoint now);
  void drop_silent_sessions(TimePoint now);
  [[nodiscard]] TimePoint wait_until(const protocol::TrialSpec& spec, TimePoint now) const;
  void give_up_waiting(TimePoint now);
  void tell_waiting(TimePoint now);
  void give_out_slots(TimePoint now);
  [[nodiscard]] protocol::Status waiting_status(const protocol::TrialKey& key) const;

  [[nodiscard]] bool belongs_to_another(const std::string& campaign,
                                        const std::string& client) const;
  [[nodiscard]] std::optional<Message> refusal(const Session& session,
                                               const protocol::Assign& request) const;
  Session* session_of(const desk::MessageArrived& arrived);
  void refuse(const std::string& peer, const char* request, Message what);
  void reply(const std::string& peer, protocol::Report report);

  desk::Options options_;
  std::map<std::string, Session> sessions_;           // by campaign
  std::map<protocol::TrialKey, std::string> trials_;  // and whose they are: a client's name
  std::deque<protocol::TrialKey> released_;           // the last ones: never run again
  Slots slots_;
  CampaignFiles files_;
  SessionId sessions_made_ = 0;
  TimePoint next_status_ = kNever;
  TimePoint ask_again_ = kNever;  // whether trials may begin, when they may not
  bool stopping_ = false;
  std::vector<desk::Action> actions_;
};

}  // namespace mstune::agent
