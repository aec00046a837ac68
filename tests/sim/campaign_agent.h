// The agent of the campaign simulator: real Jobs, the server's rules, programs that are only times.
//
// It keeps what agent/server.cpp keeps (sessions, a queue, one slot, released keys) without its
// sockets and processes, so that a thousand campaigns with faults run in a second.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "agent/job.h"
#include "protocol/codec.h"

namespace mstune {

inline constexpr std::uint32_t kFilesOfATrial = 3;
inline constexpr int kLinesMax = 20;

// What a program will do, drawn when it is started.
struct ProgramPlan {
  bool starts = true;
  bool hangs = false;  // until it is ended
  Duration spawn{};    // from asking to knowing that it runs
  Duration run{};
  Duration ending{};  // of its tree
  Duration draining{};
  int lines = 0;
};

class CampaignAgent {
 public:
  struct World {
    std::function<void(std::uint64_t peer, const protocol::Report&)> send;
    std::function<void(Duration, std::function<void()>)> later;
    std::function<TimePoint()> now;
  };

  CampaignAgent(World world, agent::JobSettings settings, std::mt19937_64& random);

  void receive(std::uint64_t peer, const protocol::Request& request);
  void step();  // does what is due
  [[nodiscard]] TimePoint deadline() const;
  // It dies with its programs and begins anew under another instance.
  void restart();

  [[nodiscard]] bool idle() const { return runners_.empty() && programs_ == 0; }
  [[nodiscard]] int programs_most() const { return programs_most_; }

 private:
  struct Runner {
    agent::Job job;
    ProgramPlan plan;
    int lines_told = 0;
    bool alive = false;
  };
  struct Session {
    std::uint64_t peer = 0;
    TimePoint last_heard;
  };

  void assign(std::uint64_t peer, const protocol::Assign& request);
  void handle_trial(std::uint64_t peer, const protocol::Request& request,
                    const protocol::TrialKey& key);
  void leave(const std::string& campaign, bool for_good);
  void happen(const protocol::TrialKey& key, const agent::JobEvent& event);
  void happen_later(Duration wait, const protocol::TrialKey& key, const agent::JobEvent& event);
  void carry_out(const protocol::TrialKey& key, const std::vector<agent::JobAction>& actions);
  void carry_out(const protocol::TrialKey& key, const agent::JobAction& action);
  void start(const protocol::TrialKey& key);
  void tell_line(const protocol::TrialKey& key);
  void end_tree(const protocol::TrialKey& key);
  void drain(const protocol::TrialKey& key);
  void clean_up();
  void begin_queued();
  void report(const protocol::TrialKey& key, const protocol::Report& report);
  Duration between(int low_ms, int high_ms);
  ProgramPlan draw_plan();

  World world_;
  agent::JobSettings settings_;
  std::mt19937_64& random_;
  std::uint64_t life_ = 1;
  std::map<std::string, Session> sessions_;
  std::map<protocol::TrialKey, std::unique_ptr<Runner>> runners_;
  std::deque<protocol::TrialKey> queue_;
  std::vector<protocol::TrialKey> released_;
  bool slot_held_ = false;
  protocol::TrialKey holder_;
  int programs_ = 0;
  int programs_most_ = 0;
};

}  // namespace mstune
