#include "tests/sim/campaign_world.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace mstune {
namespace {

using coordinator::Attempt;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kCampaign = "campaign";
const TimePoint kStart{hours(1)};
constexpr Duration kFaultsUntil = seconds(400);
constexpr Duration kBound = hours(3);
constexpr int kTurnsMax = 1'000'000;  // a machine that is due for ever lets no time pass
// Grace, silence, and what a program takes to start, end and be read.
constexpr Duration kIdleBound = seconds(200);

coordinator::CampaignSettings settings_of(const CampaignFaults& faults) {
  coordinator::CampaignSettings settings;
  settings.candidates = coordinator::candidates_of_list("LoadBalance:4,cv");
  settings.trials = coordinator::trials_in_rounds(settings.candidates, 3);
  settings.offline = faults.offline;
  settings.keep_going = true;
  settings.compile_jobs = 2;
  settings.connect_timeout = seconds(120);
  return settings;
}

}  // namespace

CampaignWorld::CampaignWorld(const CampaignFaults& faults, std::uint64_t seed)
    : faults_(faults),
      random_(seed),
      now_(kStart),
      agent_(
          {[this](std::uint64_t peer, const protocol::Report& report) {
             to_coordinator(peer, report);
           },
           [this](Duration wait, std::function<void()> action) { later(wait, std::move(action)); },
           [this] { return now_; }},
          {.timeout = seconds(40)}, random_),
      settings_(settings_of(faults)),
      dispatcher_(settings_, kStart),
      link_(kCampaign, kStart) {
  schedule_faults();
}

Duration CampaignWorld::between(int low_ms, int high_ms) {
  const auto span = static_cast<std::uint64_t>(high_ms - low_ms + 1);
  return milliseconds(low_ms + static_cast<int>(random_() % span));
}

bool CampaignWorld::chance(int permille) {
  return random_() % 1000 < static_cast<std::uint64_t>(permille);
}

void CampaignWorld::note(const std::string& what) {
  report_.transcript += fmt::format("{} {}\n", (now_ - kStart) / milliseconds(1), what);
}

// ---- time and faults ----

// What belongs to the agent happens when it is not stopped.
void CampaignWorld::later(Duration wait, std::function<void()> action) {
  queue_.emplace(now_ + wait, [this, action = std::move(action)] {
    if (now_ < agent_paused_until_) {
      queue_.emplace(agent_paused_until_, action);
    } else {
      action();
    }
  });
}

void CampaignWorld::schedule_faults() {
  const auto last = static_cast<int>(kFaultsUntil / milliseconds(1));
  const auto plan = [&](int count, const std::function<void()>& fault) {
    for (int i = 0; i < count; ++i) {
      queue_.emplace(kStart + between(0, last), fault);
    }
  };
  plan(faults_.breaks, [this] { break_connection(); });
  plan(faults_.cuts, [this] {
    break_connection();
    cut_until_ = now_ + (chance(500) ? between(1, 8000) : between(1, 100'000));
  });
  plan(faults_.restarts, [this] {
    note("agent dies");
    break_connection();
    agent_down_until_ = now_ + (chance(500) ? between(1, 3000) : between(1, 100'000));
    agent_.restart();
  });
  plan(faults_.pauses, [this] { agent_paused_until_ = now_ + between(1, 100'000); });
  plan(faults_.pauses, [this] { coordinator_paused_until_ = now_ + between(1, 100'000); });
  plan(faults_.interrupt ? 1 : 0, [this] { dispatch(coordinator::InterruptAsked{}); });
}

void CampaignWorld::break_connection() {
  note("connection breaks");
  ++connection_;
}

TimePoint CampaignWorld::next_time() const {
  TimePoint next = queue_.empty() ? kNever : queue_.begin()->first;
  next = std::min(next, std::max({agent_.deadline(), agent_paused_until_, agent_down_until_}));
  if (!coordinator_gone_) {
    next = std::min(next, std::max(std::min(dispatcher_.deadline(), link_.deadline()),
                                   coordinator_paused_until_));
  }
  return std::max(next, now_);
}

void CampaignWorld::step_machines() {
  if (now_ >= std::max({agent_.deadline(), agent_paused_until_, agent_down_until_})) {
    agent_.step();
  }
  if (coordinator_gone_ || now_ < coordinator_paused_until_) {
    return;
  }
  if (now_ >= link_.deadline()) {
    carry_out(link_.tick(now_));
  }
  if (now_ >= dispatcher_.deadline()) {
    dispatch(coordinator::Tick{});
  }
}

void CampaignWorld::run_until(TimePoint end, const std::function<bool()>& is_over) {
  for (int turns = 0; turns < kTurnsMax && !is_over() && now_ < end; ++turns) {
    const TimePoint next = next_time();
    if (next == kNever) {
      return;
    }
    now_ = next;
    if (!queue_.empty() && queue_.begin()->first <= now_) {
      const auto action = std::move(queue_.begin()->second);
      queue_.erase(queue_.begin());
      action();
    }
    step_machines();
  }
}

CampaignReport CampaignWorld::run() {
  dispatch(coordinator::Tick{});
  run_until(kStart + kBound, [&] { return dispatcher_.finished(); });
  report_.took = now_ - kStart;
  to_agent(protocol::Goodbye{});
  coordinator_gone_ = true;
  const TimePoint last_fault = std::max(kStart + kFaultsUntil + seconds(100), now_);
  run_until(last_fault + kIdleBound, [&] { return agent_.idle() && now_ >= last_fault; });
  if (!agent_.idle()) {
    report_.wrong.emplace_back("the agent is not idle after the end");
  }
  if (agent_.programs_most() > 1) {
    report_.wrong.emplace_back("two programs ran on one slot");
  }
  return std::move(report_);
}

// ---- the connection ----

// In order within a connection, as ZeroMQ delivers; a copy that is repeated comes when it likes.
void CampaignWorld::carry(TimePoint& last, const std::function<void()>& deliver) {
  if (now_ < cut_until_ || now_ < agent_down_until_) {
    return;
  }
  if (chance(faults_.repeat_permille)) {
    queue_.emplace(now_ + between(1, 10'000), deliver);
  }
  if (!chance(faults_.loss_permille)) {
    last = std::max(last, now_ + between(0, 40));
    queue_.emplace(last, deliver);
  }
}

void CampaignWorld::to_agent(const protocol::Request& request) {
  carry(last_to_agent_, [this, request, connection = connection_] {
    later(Duration::zero(), [this, request, connection] {
      if (connection == connection_) {
        agent_.receive(connection, request);
      }
    });
  });
}

void CampaignWorld::to_coordinator(std::uint64_t peer, const protocol::Report& report) {
  if (peer != connection_) {
    return;
  }
  const auto deliver = [this, report, peer](const auto& self) -> void {
    if (coordinator_gone_ || peer != connection_) {
      return;
    }
    if (now_ < coordinator_paused_until_) {
      queue_.emplace(coordinator_paused_until_, [self] { self(self); });
      return;
    }
    carry_out(link_.handle(report, now_));
    take(report);
  };
  carry(last_to_coordinator_, [deliver] { deliver(deliver); });
}

}  // namespace mstune
