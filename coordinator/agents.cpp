#include "coordinator/agents.h"

#include <algorithm>
#include <map>
#include <memory>
#include <ostream>

#include "common/error.h"
#include "common/os/file.h"
#include "common/os/identity.h"
#include "coordinator/agent_answer.h"
#include "coordinator/connection.h"
#include "coordinator/keygen.h"
#include "coordinator/target.h"

namespace mstune::coordinator {
namespace {

// Far from the numbers that the link gives to its own pings.
constexpr std::uint64_t kFirstPing = std::uint64_t{1} << 32U;
constexpr std::uint64_t kPings = 5;

TimePoint steady_now() {
  return std::chrono::steady_clock::now();
}

// The questions to one agent: pings one after the other, and what was asked for beside.
class Inquiry {
 public:
  Inquiry(const std::string& endpoint, const std::optional<os::ConnectSecurity>& security,
          bool purge, os::Worker& worker)
      : purge_(purge),
        connection_(endpoint, security, os::random_hex_id(), upload::Options{}, worker,
                    steady_now()) {
    answer_.agent = endpoint;
  }

  [[nodiscard]] const os::Socket& socket() const { return connection_.socket(); }
  [[nodiscard]] TimePoint deadline() const { return connection_.deadline(); }
  [[nodiscard]] bool finished() const {
    return answer_.failure.has_value() ||
           (answer_.condition && pongs_ == kPings && (!purge_ || answer_.purged));
  }

  void step(TimePoint now) {
    for (const ConnectionEvent& event : connection_.step(now)) {
      if (const auto* ready = std::get_if<LinkReady>(&event)) {
        begin(ready->welcome);
      } else if (const auto* refused = std::get_if<LinkRefused>(&event)) {
        answer_.failure = refused->why;
      } else if (const auto* arrived = std::get_if<ReportArrived>(&event)) {
        take(arrived->report);
      }
    }
  }

  AgentAnswer end(Duration waited) {
    if (!finished()) {
      answer_.failure = message("agents.no_answer",
                                "no answer within {}: is mstune-agent running there, and is the "
                                "address right?",
                                duration_text(std::chrono::duration<double>(waited).count()));
    }
    connection_.send(protocol::Goodbye{});
    return std::move(answer_);
  }

 private:
  void begin(const protocol::Welcome& welcome) {
    answer_.welcome = welcome;
    if (purge_) {
      connection_.send(protocol::Purge{});
    } else {
      connection_.send(protocol::Inspect{});
    }
    ping();
  }

  void ping() {
    pinged_at_ = steady_now();
    connection_.send(protocol::Ping{kFirstPing + pongs_});
  }

  void take(const protocol::Report& report) {
    if (const auto* pong = std::get_if<protocol::Pong>(&report)) {
      if (pong->sequence == kFirstPing + pongs_) {
        take_pong();
      }
    } else if (const auto* condition = std::get_if<protocol::Condition>(&report)) {
      answer_.condition = *condition;
    } else if (const auto* purged = std::get_if<protocol::Purged>(&report)) {
      answer_.purged = *purged;
      connection_.send(protocol::Inspect{});  // how it is now
    } else if (const auto* failure = std::get_if<protocol::Failure>(&report)) {
      answer_.failure = failure->what;
    }
  }

  void take_pong() {
    const double took =
        std::chrono::duration<double, std::milli>(steady_now() - pinged_at_).count();
    answer_.round_trip_ms = std::min(answer_.round_trip_ms.value_or(took), took);
    if (++pongs_ < kPings) {
      ping();
    }
  }

  bool purge_;
  AgentAnswer answer_;
  std::uint64_t pongs_ = 0;
  TimePoint pinged_at_{};
  Connection connection_;
};

std::vector<Target> targets_of(const AgentsOptions& options) {
  std::vector<Target> targets;
  if (!options.inventory.empty()) {
    targets = parse_inventory(os::read_file(options.inventory), options.inventory);
  }
  for (const std::string& file : options.target_files) {
    targets.push_back(parse_target(os::read_file(file), file));
  }
  return targets;
}

using Inquiries = std::vector<std::unique_ptr<Inquiry>>;

// Until all have answered or the time is up.
void ask(const Inquiries& inquiries, TimePoint until) {
  const auto open = [](const auto& inquiry) { return !inquiry->finished(); };
  for (TimePoint now = steady_now();
       now < until && std::any_of(inquiries.begin(), inquiries.end(), open); now = steady_now()) {
    os::PollSet polled;
    TimePoint earliest = until;
    for (const auto& inquiry : inquiries) {
      polled.add(inquiry->socket());
      earliest = std::min(earliest, inquiry->deadline());
    }
    polled.wait(earliest - now);
    for (const auto& inquiry : inquiries) {
      inquiry->step(steady_now());
    }
  }
}

}  // namespace

int agents(const AgentsOptions& options, const std::vector<std::string>& environment,
           std::ostream& out) {
  os::Worker worker;
  Inquiries inquiries;
  for (const Target& target : targets_of(options)) {
    inquiries.push_back(std::make_unique<Inquiry>(
        endpoint(target), security_for(target, environment), options.purge, worker));
  }
  ask(inquiries, after(steady_now(), options.wait));
  std::vector<AgentAnswer> answers;
  for (const auto& inquiry : inquiries) {
    answers.push_back(inquiry->end(options.wait));
  }
  out << (options.json ? agents_json(answers) : agents_table(answers)) << std::flush;
  const bool all = std::none_of(answers.begin(), answers.end(),
                                [](const AgentAnswer& answer) { return answer.failure; });
  return all ? 0 : 1;
}

}  // namespace mstune::coordinator
