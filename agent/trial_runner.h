// One trial on this machine: carries the job's actions out and feeds it what happened.
//
// The server owns it, polls its descriptors, calls step() and sends its reports. The directory is
// made when the trial begins and removed with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "agent/cann_environment.h"
#include "agent/container_end.h"
#include "agent/execution.h"
#include "agent/foreign_look.h"
#include "agent/job.h"
#include "agent/meter_look.h"
#include "agent/policy.h"
#include "protocol/codec.h"

namespace mstune::agent {

struct RunnerSettings {
  std::filesystem::path directory;  // of this trial; does not exist yet
  std::string cookie;               // "NAME=value", unique to this trial
  std::string client;               // whose trial it is: the name of a key, or empty
  std::vector<int> devices;         // empty: device selection is left alone
  Meters meters;                    // of these devices
  ForeignCheck foreign;             // what to look for after it
  std::vector<os::UniqueFd> locks;  // of the devices; held until nobody of it is left
  Duration reconnect_grace = std::chrono::seconds(60);
  std::uint64_t output_limit_bytes = std::uint64_t{16} << 20U;
  std::optional<Policy> policy;  // of the box's owner
};

struct OutgoingReport {
  protocol::Report report;
  std::string payload;
};

class TrialRunner {
 public:
  TrialRunner(protocol::TrialKey key, protocol::TrialSpec spec, RunnerSettings settings,
              CannEnvironments& environments);
  ~TrialRunner();
  TrialRunner(const TrialRunner&) = delete;
  TrialRunner& operator=(const TrialRunner&) = delete;

  [[nodiscard]] const protocol::TrialKey& key() const { return key_; }
  [[nodiscard]] const protocol::TrialSpec& spec() const { return spec_; }
  [[nodiscard]] const std::string& client() const { return settings_.client; }
  [[nodiscard]] const Job& job() const { return job_; }
  [[nodiscard]] const std::vector<int>& devices() const { return settings_.devices; }
  [[nodiscard]] std::filesystem::path om_directory() const { return settings_.directory / "om"; }

  // Before begin(): the devices of the slot that it got.
  void use_devices(std::vector<int> devices, Meters meters) {
    settings_.devices = std::move(devices);
    settings_.meters = std::move(meters);
  }
  // Before begin(): nobody else runs a trial there, and who holds memory there is known.
  void use_verdict(std::vector<os::UniqueFd> locks, ForeignCheck foreign) {
    settings_.locks = std::move(locks);
    settings_.foreign = std::move(foreign);
  }
  void begin(TimePoint now);
  void handle(const JobEvent& event, TimePoint now);

  // True from begin() until on_laid_out(): its files are to be put into om_directory().
  [[nodiscard]] bool wants_files() const { return wants_files_; }
  void on_laid_out(const std::optional<Message>& failure, TimePoint now);

  // Reads, looks, ends: whatever is due.
  void step(TimePoint now);
  [[nodiscard]] std::vector<int> descriptors(TimePoint now) const;
  [[nodiscard]] TimePoint deadline() const;

  void fetch(const protocol::Fetch& request);

  // What is to be sent to the coordinator, in order.
  std::vector<OutgoingReport> take_reports();

  // What its devices' meters showed, once each time that they were read.
  std::vector<protocol::DeviceReading> take_readings() { return std::exchange(new_readings_, {}); }

  // Processes of it that could not be killed: its device cannot be used while they are there.
  [[nodiscard]] bool is_stuck() const { return execution_ && execution_->stuck().has_value(); }
  // Only where is_stuck(): the process that is there as long as they are.
  [[nodiscard]] os::ProcessKey keeper() const { return *execution_->stuck(); }

 private:
  void carry_out(const std::vector<JobAction>& actions, TimePoint now);
  void carry_out(const JobAction& action, TimePoint now);
  void prepare(TimePoint now);
  void become_ready(TimePoint now);
  void start(TimePoint now);
  void start_program(TimePoint now);
  [[nodiscard]] std::vector<std::string> command() const;
  [[nodiscard]] os::SpawnRequest spawn_request(Environment environment) const;
  [[nodiscard]] std::optional<Message> judge(os::SpawnRequest& request) const;
  void pass_on(std::vector<protocol::Event> lines, TimePoint now);
  bool end_container(TimePoint now);
  void end_tree(TimePoint now);
  void tell_stuck(TimePoint now);
  void tell_left_behind(TimePoint now);
  void drain(TimePoint now);
  [[nodiscard]] std::vector<protocol::TrialFile> offer_files(protocol::Facts& facts);
  void finish_drain(TimePoint now);
  // What the look that is under way has read, once it is over; nothing before.
  std::optional<std::vector<protocol::DeviceReading>> step_meters(TimePoint now);
  void remove_directory() const;

  protocol::TrialKey key_;
  protocol::TrialSpec spec_;
  RunnerSettings settings_;
  CannEnvironments& environments_;
  Job job_;
  std::optional<Execution> execution_;
  os::SpawnRequest program_;               // that was started
  std::optional<std::int32_t> exit_code_;  // nobody of it is left, or nobody who can be ended
  std::optional<ContainerEnd> container_;  // being ended, after that
  std::optional<Environment> base_;
  std::vector<KeptFile> files_;
  std::optional<MeterLook> look_;  // under way: before the program is started, and after its end
  std::optional<ForeignLook> foreign_;  // after its end
  std::vector<protocol::DeviceReading> readings_before_;
  std::vector<protocol::DeviceReading> new_readings_;
  std::optional<OutputDrained> drained_;  // waits for the last reading
  std::vector<OutgoingReport> reports_;
  bool wants_files_ = false;
  bool wants_environment_ = false;
  bool ending_ = false;
  bool draining_ = false;
};

}  // namespace mstune::agent
