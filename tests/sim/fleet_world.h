// A campaign over many agents in simulated time: the real dispatcher, and agents that are as slow,
// busy, broken and forgetful as they are told to be.
//
// The wire is not simulated here (campaign_world does that for one agent): what an agent does
// arrives as the event that the session would make of it. An agent gives its devices out by the
// real agent's slots, keeps what nobody released, and sees for itself that no device has two
// programs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/slots.h"
#include "coordinator/dispatcher.h"

namespace mstune {

struct FleetFaults {
  int crashes = 0;          // of an agent that comes back as another instance
  int absences = 0;         // of an agent, from a second to an hour
  int deaths = 0;           // of agents that never come back
  int late = 0;             // agents that answer after the connect timeout, or never
  int wrong = 0;            // agents on which nothing starts
  int busy = 0;             // devices that somebody else keeps
  int refused_uploads = 0;  // agents with a full disk
  int slow = 0;             // agents that are ten times slower
  int lost_permille = 0;    // of assignments, cancels, releases and statuses; as many come late
  int restarts = 0;         // of the coordinator, which goes on with what it has on disk
  bool interrupt = false;
};

struct FleetPlan {
  std::size_t agents = 4;
  std::size_t devices = 2;  // of each
  int rounds = 8;
  int candidates = 3;
  coordinator::Spread spread = coordinator::Spread::share;
  bool offline = false;
  bool pipeline = false;
  std::size_t agents_per_machine = 1;
  bool builds_on_first = false;  // of the machines; else the coordinator has its own
  bool has_neighbours = false;   // others measure now and then where it builds
};

struct FleetReport {
  std::optional<coordinator::Finish> finish;
  Duration took{};
  std::vector<std::string> wrong;                    // invariants that did not hold
  std::map<std::uint32_t, std::size_t> recorded_on;  // trial → device, those that stand
  std::map<std::uint32_t, std::string> voids;        // trial → code
  std::map<std::size_t, int> given_up;               // devices, and how often
  std::set<std::size_t> healthy;                     // agents that nothing befell
  std::size_t trials = 0;
  std::size_t devices = 0;
  std::uint64_t discarded = 0;
  std::uint64_t begun = 0;   // programs
  std::uint64_t queued = 0;  // attempts that found their device taken at the agent
  std::uint64_t events = 0;
  std::string transcript;
};

class FleetWorld {
 public:
  FleetWorld(const FleetPlan& plan, const FleetFaults& faults, std::uint64_t seed);

  FleetReport run();

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // trial, attempt
  struct Job {
    enum class State { queued, running, ended };
    coordinator::AssignAttempt assigned;
    State state = State::queued;
    coordinator::AttemptExited exited = {};  // meaningless before it has ended
  };
  struct Agent {
    bool there = false;
    int life = 1;
    int absences = 0;
    int slowness = 1;
    bool nothing_starts = false;
    bool disk_full = false;
    std::set<std::size_t> busy_places;
    // What it knows; a crash ends it all.
    agent::Slots slots{{}};
    std::map<Key, Job> jobs;
    std::set<Key> released;
    std::map<std::size_t, Key> programs;  // that run, by place
    bool tells = false;                   // of its jobs, again and again
  };

  void after(Duration wait, std::function<void()> what);
  void dispatch(const coordinator::CampaignEvent& event);
  void carry_out(const coordinator::CampaignAction& action);
  void assign(const coordinator::AssignAttempt& action);
  void collect(const coordinator::Attempt& attempt);
  void release_device(const coordinator::Attempt& attempt);
  void record(const coordinator::Attempt& attempt);
  void come(std::size_t agent);
  void go(std::size_t agent, Duration away, bool crashed);
  void plan_faults(const FleetFaults& faults);
  void have_neighbours(int times);
  [[nodiscard]] std::string machine_of(std::size_t agent) const;
  [[nodiscard]] std::string own_machine() const;
  [[nodiscard]] bool is_measuring(const std::string& machine) const;
  [[nodiscard]] bool is_moving_files(const std::string& machine) const;
  void start_build(std::size_t candidate);
  void start_upload(const coordinator::StartUpload& upload);
  void restart();
  [[nodiscard]] coordinator::CampaignSettings settings_after_restart() const;
  void check_blocks();
  void wrong(std::string what) { report_.wrong.push_back(std::move(what)); }
  void note(const std::string& what);
  bool chance(int permille);

  // what agents do: fleet_world_agents.cpp
  void begin_life(std::size_t agent);
  void send(std::size_t agent, std::function<void()> deliver);
  void take_assignment(const coordinator::AssignAttempt& action);
  void take_cancel(const coordinator::Attempt& attempt);
  void take_release(const coordinator::Attempt& attempt);
  void give_out(std::size_t agent);
  void run_program(std::size_t agent, const Key& key, std::size_t place);
  void end(std::size_t agent, const Key& key, const coordinator::AttemptExited& exited);
  void abandon_jobs(std::size_t agent);
  void keep_telling(std::size_t agent);
  void tell_strays(std::size_t agent);
  [[nodiscard]] bool is_awaited(const coordinator::AssignAttempt& assigned) const;
  [[nodiscard]] protocol::TrialKey slot_key(std::size_t agent, const Key& key) const;

  Duration between(std::int64_t least_ms, std::int64_t most_ms);
  std::size_t any_agent();

  FleetPlan plan_;
  std::mt19937_64 random_;
  TimePoint now_{std::chrono::hours(1)};
  std::multimap<TimePoint, std::function<void()>> queue_;
  std::vector<Agent> agents_;
  coordinator::Dispatcher dispatcher_;
  std::map<std::size_t, coordinator::Attempt> on_device_;  // as the dispatcher believes
  std::set<Key> collecting_;
  std::set<std::size_t> inherited_;                        // devices; from an earlier life
  bool others_measure_ = false;                            // where the coordinator builds
  int builds_ = 0;                                         // under way
  std::set<std::pair<std::size_t, std::size_t>> uploads_;  // under way: agent, candidate
  std::map<std::uint32_t, std::uint32_t> attempts_;        // by trial: the last one's number
  std::uint64_t seed_ = 0;
  int lives_ = 1;  // of the coordinator
  int lost_permille_ = 0;
  FleetReport report_;
};

}  // namespace mstune
