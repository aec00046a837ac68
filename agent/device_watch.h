// The devices of this agent: which there are, and when a trial that has one may begin on it.
//
// A device that somebody else uses is waited for. The server begins trials and hands in their keys.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/device_gate.h"
#include "agent/foreign_look.h"
#include "agent/meter_look.h"
#include "agent/npu_smi.h"
#include "common/os/device_locks.h"
#include "protocol/agent_messages.h"

namespace mstune::agent {

class DeviceWatch {
 public:
  struct Options {
    std::vector<int> devices;  // logic ids to offer; empty: device selection is left alone
    bool find = false;         // offer what npu-smi finds, instead
    bool look = true;          // false: npu-smi is not asked for anything
    std::filesystem::path lock_directory;  // of the locks that the machine's agents share
    GateRules rules;
  };

  // Asks npu-smi what there is. Throws an environment error when it knows other devices than those
  // that are to be offered, or when none is found.
  DeviceWatch(Options options, Environment environment);

  [[nodiscard]] const std::vector<int>& devices() const { return options_.devices; }
  // Of the devices in their order; of the box where none is offered; empty where not known.
  [[nodiscard]] std::vector<std::string> chips() const;
  [[nodiscard]] const std::string& driver_version() const { return box_.driver_version; }
  // What a person should know of this agent's devices.
  [[nodiscard]] std::vector<Message> notices() const;

  // True when a trial on these devices has to wait for a verdict.
  [[nodiscard]] bool checks(const protocol::TrialSpec& spec, const std::vector<int>& devices) const;
  // The trial has these devices now: verdicts about it will come.
  void wait_for(const protocol::TrialKey& key, const protocol::TrialSpec& spec,
                std::vector<int> devices, TimePoint now);
  void forget(const protocol::TrialKey& key) { gates_.erase(key); }

  struct Verdict {
    protocol::TrialKey key;
    GateAnswer::What what = GateAnswer::What::begin;  // look: it goes on waiting
    std::optional<Message> tell;
    std::vector<os::UniqueFd> locks = {};   // begin: of its devices
    std::vector<DeviceUser> accepted = {};  // begin: who holds memory there and is not waited for
  };
  // What is new since the last call. After begin and give_up the trial is forgotten.
  std::vector<Verdict> step(TimePoint now);

  // What it takes to read the meters of these devices.
  [[nodiscard]] Meters meters(const std::vector<int>& devices) const;
  // What it takes to see who came onto them since.
  [[nodiscard]] ForeignCheck foreign_check(const std::vector<int>& devices,
                                           std::vector<DeviceUser> accepted) const;
  // They were read.
  void note(const std::vector<protocol::DeviceReading>& readings, TimePoint now);
  // Reads the meters of all that are offered and looks who uses them, unless that was done within a
  // second. True when it is over. Not to be called while a trial has a device.
  bool refresh(TimePoint now);
  // A trial gets a device: from now on nobody reads.
  void leave_alone();
  // Fills in what is known of these devices, which may be from a while ago.
  void describe(std::vector<protocol::DeviceCondition>& devices, TimePoint now) const;

  [[nodiscard]] std::vector<int> descriptors() const;
  [[nodiscard]] TimePoint deadline() const;

 private:
  struct Known {
    protocol::DeviceReading reading;
    TimePoint at;
  };

  GateAnswer ask(DeviceGate& gate, std::vector<os::UniqueFd>& locks, TimePoint now);
  void watch_gates();

  Options options_;
  Environment environment_;
  ChipFacts box_;
  os::DeviceOffer offer_;
  UsageLooks looks_;
  TimePoint ask_again_ = kNever;  // where a device is another agent's
  std::map<protocol::TrialKey, DeviceGate> gates_;
  std::map<int, Known> known_;  // by device
  std::optional<MeterLook> refreshing_;
  std::optional<TimePoint> refreshed_;
  TimePoint refresh_begun_;
  std::vector<DeviceUser> users_;  // as the last refresh saw them
};

}  // namespace mstune::agent
