// A whole campaign on a clock of its own: dispatcher, link and jobs over a connection that fails.
//
// Everything that happens comes from the seed. The rules of coordinator/session.cpp that are not
// in a machine (numbered events, files, asking again when nothing comes) are kept here without
// its disk.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "coordinator/dispatcher.h"
#include "coordinator/link.h"
#include "tests/sim/campaign_agent.h"

namespace mstune {

struct CampaignFaults {
  int loss_permille = 0;    // of messages
  int repeat_permille = 0;  // of messages: a copy comes later
  int breaks = 0;           // connections that break and come back at once
  int cuts = 0;             // times without a network, up to 100 s
  int restarts = 0;         // of the agent, with up to 100 s without one
  int pauses = 0;           // of either program (SIGSTOP), up to 100 s
  bool interrupt = false;
  bool offline = false;
};

struct CampaignReport {
  std::optional<coordinator::Finish> finish;  // nothing: it did not end within the bound
  std::map<std::uint32_t, int> recorded;      // by trial: how often
  std::map<std::uint32_t, std::string> voids;
  std::vector<std::string> wrong;  // what must not be, in words
  std::string transcript;
  Duration took{};
};

class CampaignWorld {
 public:
  CampaignWorld(const CampaignFaults& faults, std::uint64_t seed);

  // Runs it to its end and then waits until the agent is idle.
  CampaignReport run();

 private:
  struct Active {
    coordinator::Attempt attempt;
    std::uint64_t events = 0;
    std::uint64_t lines = 0;
    std::optional<protocol::Exited> exited;
    bool exit_told = false;
    bool collecting = false;
    std::uint32_t collected = 0;
    std::uint64_t progress_at_status = 0;
  };

  void later(Duration wait, std::function<void()> action);
  void schedule_faults();
  void break_connection();
  void run_until(TimePoint end, const std::function<bool()>& is_over);
  void step_machines();
  [[nodiscard]] TimePoint next_time() const;

  void to_agent(const protocol::Request& request);
  void to_coordinator(std::uint64_t peer, const protocol::Report& report);
  void carry(TimePoint& last, const std::function<void()>& deliver);

  void dispatch(const coordinator::CampaignEvent& event);
  void carry_out(const coordinator::CampaignAction& action);
  void carry_out(const std::vector<coordinator::LinkAction>& actions);
  void assign(const coordinator::Attempt& attempt);
  void fetch();
  void take(const protocol::Report& report);
  void take_events(const protocol::Events& events);
  void take_status(const protocol::Status& status);
  void take_file(const protocol::FileData& data);
  void record();
  [[nodiscard]] protocol::TrialKey key_of(const coordinator::Attempt& attempt) const;
  [[nodiscard]] bool is_active(const protocol::TrialKey& key) const;
  void note(const std::string& what);
  Duration between(int low_ms, int high_ms);
  bool chance(int permille);

  CampaignFaults faults_;
  std::mt19937_64 random_;
  TimePoint now_;
  std::multimap<TimePoint, std::function<void()>> queue_;
  std::uint64_t connection_ = 1;  // also the peer, as the agent sees it
  TimePoint cut_until_;
  TimePoint agent_down_until_;
  TimePoint agent_paused_until_;
  TimePoint coordinator_paused_until_;
  TimePoint last_to_agent_;
  TimePoint last_to_coordinator_;
  CampaignAgent agent_;
  coordinator::CampaignSettings settings_;
  coordinator::Dispatcher dispatcher_;
  coordinator::Link link_;
  bool coordinator_gone_ = false;
  std::string instance_;
  std::optional<Active> active_;
  CampaignReport report_;
};

}  // namespace mstune
