// The agent: one thread that waits, hands every event to the machine that it belongs to, and
// carries out what comes back.
//
// Knows sessions and slots; trials are TrialRunner's, files Receiver's.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/box_desk.h"
#include "agent/cann_environment.h"
#include "agent/receiver.h"
#include "agent/trial_runner.h"
#include "common/os/signals.h"
#include "common/os/socket.h"

namespace mstune::agent {

struct ServerOptions {
  std::string endpoint;            // "ipc:///run/x/agent.sock", "tcp://127.0.0.1:18600"
  std::filesystem::path work_dir;  // made 0700
  std::vector<int> devices;        // logic ids; empty: one slot, device selection left alone
  bool ends_with_parent = false;   // a coordinator's own agent
  std::string notify_socket;       // of the service manager that waits for this agent; empty: none
  Duration reconnect_grace = std::chrono::seconds(60);
  std::uint64_t output_limit_bytes = std::uint64_t{16} << 20U;
  std::uint64_t store_limit_bytes = std::uint64_t{64} << 30U;
};

class Server {
 public:
  // Claims the working directory, ends what a former life left there, and listens. Throws an Error.
  explicit Server(ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Runs until SIGTERM or SIGINT (or the parent's end); no trial's process is left then.
  void run();

  [[nodiscard]] std::string endpoint() const { return socket_.endpoint(); }

 private:
  struct Session {
    SessionId number = 0;
    std::string peer;
    std::string campaign;
    TimePoint last_heard;
  };
  struct Slot {
    std::optional<int> device;
    std::optional<protocol::TrialKey> holder;
    bool unusable = false;
  };
  using Runners = std::map<protocol::TrialKey, std::unique_ptr<TrialRunner>>;

  void wait(os::PollSet& polled, TimePoint now);
  void receive(TimePoint now);
  void receive_one(os::Frames frames, TimePoint now);
  void handle(Session& session, const protocol::Request& request, std::string payload,
              TimePoint now);
  void greet(const std::string& peer, const protocol::Hello& hello, TimePoint now);
  void assign(Session& session, const protocol::Assign& request, TimePoint now);
  void handle_trial(Session& session, const protocol::Request& request, TimePoint now);
  void leave(const std::string& campaign, bool for_good, TimePoint now);
  void drop_silent_sessions(TimePoint now);
  void begin_queued(TimePoint now);
  void step_trials(TimePoint now);
  void step_files(TimePoint now);
  void step_box(TimePoint now);
  void lay_out(TrialRunner& runner);
  void send_reports(TrialRunner& runner);
  void send(const std::string& peer, const protocol::Report& report, std::string payload = {});
  void stop(TimePoint now);
  void look_at_signals(TimePoint now);
  void sweep_former_life();
  [[nodiscard]] protocol::Welcome welcome() const;
  [[nodiscard]] TimePoint deadline() const;
  Session* session_of(const std::string& peer);
  Slot* slot_of(const protocol::TrialKey& key);

  ServerOptions options_;
  os::SignalDescriptor signals_;
  os::UniqueFd lock_;
  std::string instance_;
  std::vector<Message> notices_;  // for whoever says hello
  os::Socket socket_;
  CannEnvironments environments_;
  BoxDesk box_desk_;
  std::optional<TimePoint> quiet_since_;  // the last session ended then; empty: there is one
  Receiver receiver_;
  std::map<std::string, Session> sessions_;  // by campaign
  Runners runners_;
  std::deque<protocol::TrialKey> queue_;     // waiting for a slot, in their order
  std::deque<protocol::TrialKey> released_;  // the last ones: never run again
  std::vector<Slot> slots_;
  std::uint64_t serial_ = 0;  // of trials
  SessionId sessions_made_ = 0;
  bool stopping_ = false;
};

}  // namespace mstune::agent
