// The agent: one thread that waits, hands every event to the machine that it belongs to, and
// carries out what comes back.
//
// It decides nothing: sessions, devices and who may do what are Desk's, trials TrialRunner's, files
// Receiver's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "agent/box_desk.h"
#include "agent/cann_environment.h"
#include "agent/desk.h"
#include "agent/device_watch.h"
#include "agent/gate.h"
#include "agent/half_open.h"
#include "agent/local_trace.h"
#include "agent/measure_turn.h"
#include "agent/receiver.h"
#include "agent/stuck_trials.h"
#include "agent/trial_runner.h"
#include "agent/work_directory.h"
#include "common/error.h"
#include "common/language.h"
#include "common/os/signals.h"
#include "common/os/socket.h"

namespace mstune::agent {

struct ServerOptions {
  std::string endpoint;             // "ipc:///run/x/agent.sock", "tcp://127.0.0.1:18600"
  std::filesystem::path work_dir;   // made 0700
  std::optional<GateOptions> gate;  // nothing: whoever reaches the endpoint may talk to this agent
  std::optional<Policy> policy;     // nothing: a coordinator's own agent
  std::vector<Message> warnings;    // to be said at every start
  std::string notify_socket;        // of the service manager that waits for this agent; or empty
  DeviceWatch::Options devices;     // without any: one slot, device selection left alone
  bool ends_with_parent = false;    // a coordinator's own agent
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
  // Nothing when everybody who reaches the endpoint may come in.
  [[nodiscard]] const std::optional<Gate>& gate() const { return gate_; }

 private:
  using Runners = std::map<protocol::TrialKey, std::unique_ptr<TrialRunner>>;

  void wait(os::PollSet& polled, TimePoint now);
  void receive(TimePoint now);
  void tell_who_was_taken_off(TimePoint now);
  void receive_one(os::Frames frames, TimePoint now);
  void tell_desk(const desk::Event& event, TimePoint now, std::string payload = {});
  void carry_out(desk::Action& action, std::string& payload, TimePoint now);
  void carry_out_on_store(desk::Action& action);
  void tell_conditions(TimePoint now);
  void send_to(SessionId number, const protocol::Report& report);
  void create(desk::CreateTrial& action);
  void begin(TrialRunner& runner, std::vector<int> devices, TimePoint now);
  void start(TrialRunner& runner, TimePoint now);
  void step_devices(TimePoint now);
  void step_refused(TimePoint now);
  void step_trials(TimePoint now);
  void forget_finished(TimePoint now);
  void tell_who_measures(TimePoint now);
  void look_at_stuck(TimePoint now);
  void step_files(TimePoint now);
  void send_files_reports();
  void step_box(TimePoint now);
  void lay_out(TrialRunner& runner);
  void send_reports(TrialRunner& runner);
  void send(const std::string& peer, const protocol::Report& report, std::string payload = {});
  void look_at_signals(TimePoint now);
  void look_at_connections();
  void step_trial(TrialRunner& runner, TimePoint now);
  // One piece of work: what the system refuses ends it, and never the agent. False then.
  template <typename Work>
  bool get_done(Work&& work);
  void tell_refused(const std::string& why);
  [[nodiscard]] desk::Options desk_options();
  [[nodiscard]] TimePoint deadline() const;

  ServerOptions options_;
  os::SignalDescriptor signals_;
  std::optional<LocalTrace> trace_;  // of a coordinator's own agent
  os::UniqueFd lock_;
  std::string instance_;
  std::optional<Gate> gate_;  // before the socket: until it stands, nobody may come in
  std::map<std::string, FormerLife> former_lives_;  // each for the campaign that it was
  DeviceWatch devices_;                             // before the socket: it may wait for npu-smi
  os::Socket socket_;
  HalfOpen half_open_;
  CannEnvironments environments_;
  BoxDesk box_desk_;
  Receiver receiver_;
  MeasureTurn turn_;
  Desk desk_;
  StuckTrials stuck_;
  TimePoint started_;
  Runners runners_;
  std::map<protocol::TrialKey, TimePoint> resting_;  // after the system refused them something
  TimePoint tell_refused_at_ = TimePoint::min();
  std::uint64_t serial_ = 0;                  // of trials
  std::vector<desk::ReportCondition> asked_;  // how this agent is
  bool stopping_ = false;
};

// Want of descriptors or memory passes. Other exceptions are bugs and end the program.
template <typename Work>
bool Server::get_done(Work&& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    tell_refused(said(error.message()));
  } catch (const std::system_error& error) {
    tell_refused(error.what());
  } catch (const std::bad_alloc& error) {
    tell_refused(error.what());
  }
  return false;
}

}  // namespace mstune::agent
