#include "coordinator/agents.h"

#include <algorithm>
#include <csignal>
#include <memory>
#include <ostream>
#include <sstream>

#include "common/error.h"
#include "common/os/clock.h"
#include "common/os/file.h"
#include "common/os/identity.h"
#include "common/os/signals.h"
#include "coordinator/agent_answer.h"
#include "coordinator/connection.h"
#include "coordinator/console.h"
#include "coordinator/exit_codes.h"
#include "coordinator/identity.h"
#include "coordinator/live_screen.h"
#include "coordinator/target.h"

namespace mstune::coordinator {
namespace {

// Far from the numbers that the link gives to its own pings.
constexpr std::uint64_t kFirstPing = std::uint64_t{1} << 32U;
constexpr std::uint64_t kPings = 5;

// The questions to one agent: pings one after the other, and what was asked for beside.
class Checkup {
 public:
  Checkup(const Target& target, const std::optional<os::ConnectSecurity>& security, bool purge,
          os::Worker& worker)
      : purge_(purge),
        connection_(endpoint(target), security, os::random_hex_id(), upload::Options{}, worker,
                    os::steady_now()) {
    answer_.agent = endpoint(target);
    connection_.use_cann(target.cann_env);
  }

  void watch(os::PollSet& polled) const { connection_.watch(polled); }
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
      } else if (const auto* unreachable = std::get_if<LinkUnreachable>(&event)) {
        unreachable_ = unreachable->why;
      } else if (const auto* arrived = std::get_if<ReportArrived>(&event)) {
        take(arrived->report);
      }
    }
  }

  AgentAnswer end(Duration waited) {
    if (!finished()) {
      answer_.failure = unreachable_.value_or(
          message("agents.no_answer",
                  "no answer within {}: is mstune-agent running there, and "
                  "is the address right?",
                  duration_text(std::chrono::duration<double>(waited).count())));
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
    pinged_at_ = os::steady_now();
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
        std::chrono::duration<double, std::milli>(os::steady_now() - pinged_at_).count();
    answer_.round_trip_ms = std::min(answer_.round_trip_ms.value_or(took), took);
    if (++pongs_ < kPings) {
      ping();
    }
  }

  bool purge_;
  AgentAnswer answer_;
  std::optional<Message> unreachable_;
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

using Checkups = std::vector<std::unique_ptr<Checkup>>;

// Until all have answered, the time is up, or somebody ends a watch. False then.
bool ask(const Checkups& checkups, TimePoint until, os::SignalDescriptor* signals) {
  const auto open = [](const auto& checkup) { return !checkup->finished(); };
  for (TimePoint now = os::steady_now();
       now < until && std::any_of(checkups.begin(), checkups.end(), open); now = os::steady_now()) {
    os::PollSet polled;
    TimePoint earliest = until;
    for (const auto& checkup : checkups) {
      checkup->watch(polled);
      earliest = std::min(earliest, checkup->deadline());
    }
    if (signals != nullptr) {
      polled.add(signals->descriptor());
    }
    polled.wait(os::time_left(earliest, now));
    if (signals != nullptr && signals->next()) {
      return false;
    }
    for (const auto& checkup : checkups) {
      checkup->step(os::steady_now());
    }
  }
  return true;
}

// Nothing when somebody ended a watch.
std::optional<std::vector<AgentAnswer>> ask_all(const AgentsOptions& options,
                                                const std::vector<Target>& targets,
                                                const std::vector<std::string>& environment,
                                                os::SignalDescriptor* signals) {
  os::Worker worker;
  Checkups checkups;
  for (const Target& target : targets) {
    checkups.push_back(std::make_unique<Checkup>(target, security_for(target, environment),
                                                 options.purge, worker));
  }
  if (!ask(checkups, after(os::steady_now(), options.wait), signals)) {
    return std::nullopt;
  }
  std::vector<AgentAnswer> answers;
  for (const auto& checkup : checkups) {
    answers.push_back(checkup->end(options.wait));
  }
  return answers;
}

std::string text_of(const AgentsOptions& options, const std::vector<AgentAnswer>& answers) {
  return options.json ? agents_json(answers) : agents_table(answers);
}

// What fits on the terminal, so that the next one can be drawn over it.
std::vector<std::string> block_of(const std::string& text, const Terminal& terminal) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; lines.size() + 1 < terminal.rows && std::getline(stream, line);) {
    lines.push_back(std::move(line));
  }
  return lines;
}

int watch(const AgentsOptions& options, const std::vector<Target>& targets,
          const std::vector<std::string>& environment, std::ostream& out) {
  os::SignalDescriptor signals({SIGINT, SIGTERM});
  const bool redraw =
      progress_style(false, options.json, stdout_is_terminal(), environment) == ProgressStyle::live;
  const auto terminal = stdout_terminal(environment);
  LiveScreen screen(out);
  bool is_first = true;
  while (const auto answers = ask_all(options, targets, environment, &signals)) {
    const std::string text = text_of(options, *answers);
    if (redraw) {
      const Terminal now = terminal();
      screen.show("", block_of(text, now), now.columns);
    } else {
      out << (is_first || options.json ? "" : "\n") << text << std::flush;
    }
    is_first = false;
    os::PollSet pause;
    pause.add(signals.descriptor());
    pause.wait(options.interval);
    if (signals.next()) {
      break;
    }
  }
  return kExitInterrupted;
}

}  // namespace

int agents(const AgentsOptions& options, const std::vector<std::string>& environment,
           std::ostream& out) {
  const std::vector<Target> targets = targets_of(options);
  if (options.watch) {
    return watch(options, targets, environment, out);
  }
  const auto answers = ask_all(options, targets, environment, nullptr).value();
  out << text_of(options, answers) << std::flush;
  const bool all = std::none_of(answers.begin(), answers.end(),
                                [](const AgentAnswer& answer) { return answer.failure; });
  return all ? 0 : 1;
}

}  // namespace mstune::coordinator
