#include "agent/server.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <utility>

#include "common/error.h"
#include "common/os/file.h"
#include "common/os/identity.h"
#include "common/version.h"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace mstune::agent {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCookieName = "MSTUNE_TRIAL";
constexpr std::size_t kReleasedKept = 256;
constexpr std::chrono::hours kWaitMax{1};
constexpr int kMessagesPerTurn = 64;  // then whoever else waits has a turn

TimePoint steady_now() {
  return std::chrono::steady_clock::now();
}

std::vector<std::string> own_environment() {
  std::vector<std::string> strings;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    strings.emplace_back(*entry);
  }
  return strings;
}

os::UniqueFd lock_directory(const fs::path& work_dir) {
  os::make_private_directory(work_dir);
  const fs::path path = work_dir / "lock";
  os::UniqueFd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock.valid() || ::flock(lock.value(), LOCK_EX | LOCK_NB) != 0) {
    throw environment_error("agent.work_dir_in_use",
                            "another agent uses {}: end it, or give this one a --work-dir of its "
                            "own",
                            work_dir.string());
  }
  return lock;
}

// What was laid out for a trial that was over before.
void remove_late_directory(const fs::path& trial) {
  try {
    os::remove_tree(trial);
  } catch (const Error& error) {
    fmt::print(stderr, "mstune-agent: {}\n", error.what());
  }
}

std::string architecture() {
  utsname name{};
  return ::uname(&name) == 0 ? name.machine : "unknown";
}

}  // namespace

Server::Server(ServerOptions options)
    : options_(std::move(options)),
      lock_(lock_directory(options_.work_dir)),
      instance_(os::random_hex_id()),
      socket_((sweep_former_life(), os::Socket::listen(options_.endpoint))),
      environments_(options_.work_dir, parse_environment(own_environment())),
      receiver_(options_.work_dir / "store", {.limit_bytes = options_.store_limit_bytes}) {
  os::become_subreaper();
  os::ignore_broken_pipes();
  if (options_.ends_with_parent) {
    const pid_t parent = ::getppid();
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    stopping_ = ::getppid() != parent || parent == 1;  // it ended before the kernel was asked
  }
  for (const int device : options_.devices) {
    slots_.push_back({device, std::nullopt, false});
  }
  if (slots_.empty()) {
    slots_.emplace_back();
  }
}

// A coordinator's own agent leaves nothing behind, however its coordinator ended.
Server::~Server() {
  if (options_.ends_with_parent) {
    try {
      os::remove_tree(options_.work_dir);
    } catch (const Error& error) {
      fmt::print(stderr, "mstune-agent: {}\n", error.what());
    }
  }
}

// The name of a trial's directory is its cookie: whatever process still carries it belongs to an
// agent that is no more, since this one holds the lock.
void Server::sweep_former_life() {
  const fs::path trials = options_.work_dir / "trials";
  os::make_private_directory(trials);
  std::size_t ended = 0;
  std::size_t swept = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(trials)) {
    os::TreeIdentity tree{
        0, fmt::format("{}={}", kCookieName, entry.path().filename().string()), {}};
    ended += os::find_tree(tree).size();
    os::TreeEnder ender(tree, {});
    while (ender.step(steady_now()) == os::EndingState::going_on) {
      os::PollSet().wait(ender.deadline() - steady_now());
    }
    os::remove_tree(entry.path());
    ++swept;
  }
  if (swept > 0) {
    notices_.push_back(message("agent.former_life",
                               "the agent was started again: it ended {} processes and removed {} "
                               "trial directories of its former life",
                               ended, swept));
  }
}

void Server::run() {
  while (!stopping_ || !runners_.empty()) {
    os::PollSet polled;
    wait(polled, steady_now());
    const TimePoint now = steady_now();
    if (polled.readable(signals_.descriptor())) {
      look_at_signals(now);
    }
    if (polled.readable(socket_)) {
      receive(now);
    }
    drop_silent_sessions(now);
    environments_.step(now);
    if (polled.readable(receiver_.descriptor()) || now >= receiver_.deadline()) {
      step_files(now);
    }
    step_trials(now);
    begin_queued(now);
  }
}

// ---- waiting ----

TimePoint Server::deadline() const {
  TimePoint earliest = std::min(environments_.deadline(), receiver_.deadline());
  for (const auto& [key, runner] : runners_) {
    earliest = std::min(earliest, runner->deadline());
  }
  for (const auto& [campaign, session] : sessions_) {
    earliest = std::min(earliest, after(session.last_heard, protocol::kSilenceMax));
  }
  return earliest;
}

void Server::wait(os::PollSet& polled, TimePoint now) {
  polled.add(socket_);
  polled.add(signals_.descriptor());
  polled.add(receiver_.descriptor());
  for (const int descriptor : environments_.descriptors()) {
    polled.add(descriptor);
  }
  for (const auto& [key, runner] : runners_) {
    for (const int descriptor : runner->descriptors(now)) {
      polled.add(descriptor);
    }
  }
  const TimePoint until = deadline();
  // One that is due can lie so far back that the difference would not fit.
  polled.wait(until <= now ? Duration::zero()
                           : std::min(Duration(until - now), Duration(kWaitMax)));
}

void Server::look_at_signals(TimePoint now) {
  while (const auto signal = signals_.next()) {
    if (*signal == SIGCHLD) {
      os::reap_orphans();
    } else {
      stop(now);
    }
  }
}

void Server::stop(TimePoint now) {
  stopping_ = true;
  while (!sessions_.empty()) {
    leave(sessions_.begin()->first, true, now);
  }
  for (const auto& [key, runner] : runners_) {
    runner->handle(CoordinatorGone{true}, now);
  }
}

// ---- messages ----

void Server::receive(TimePoint now) {
  for (int i = 0; i < kMessagesPerTurn; ++i) {
    auto frames = socket_.receive();
    if (!frames) {
      return;
    }
    receive_one(std::move(*frames), now);
  }
}

void Server::receive_one(os::Frames frames, TimePoint now) {
  std::optional<protocol::Request> request;
  try {
    request = protocol::unpack_request(frames.header);
  } catch (const Error& error) {
    send(frames.peer, protocol::Failure{"", error.message()});
    return;
  }
  if (!request) {
    send(frames.peer, protocol::Failure{"", message("agent.unknown_request",
                                                    "this agent does not know that request")});
    return;
  }
  if (const auto* hello = std::get_if<protocol::Hello>(&*request)) {
    greet(frames.peer, *hello, now);
    return;
  }
  Session* session = session_of(frames.peer);
  if (session == nullptr) {
    send(frames.peer,
         protocol::Failure{protocol::tag(*request),
                           message("agent.no_session", "say hello first: there is no session")});
    return;
  }
  session->last_heard = now;
  try {
    handle(*session, *request, std::move(frames.payload), now);
  } catch (const Error& error) {
    send(frames.peer, protocol::Failure{protocol::tag(*request), error.message()});
  }
}

void Server::handle(Session& session, const protocol::Request& request, std::string payload,
                    TimePoint now) {
  if (receiver_.handle(session.number, request, std::move(payload), now)) {
    step_files(now);
  } else if (const auto* ping = std::get_if<protocol::Ping>(&request)) {
    send(session.peer, protocol::Pong{ping->sequence});
  } else if (const auto* assignment = std::get_if<protocol::Assign>(&request)) {
    assign(session, *assignment, now);
  } else if (std::holds_alternative<protocol::Goodbye>(request)) {
    leave(std::string(session.campaign), true, now);
  } else {
    handle_trial(session, request, now);
  }
}

void Server::greet(const std::string& peer, const protocol::Hello& hello, TimePoint now) {
  if (hello.major != protocol::kMajor) {
    send(peer, protocol::Failure{
                   "hello", message("agent.other_protocol",
                                    "this agent ({}) speaks version {} of the protocol, the "
                                    "coordinator ({}) version {}: install the same release on both",
                                    kVersion, protocol::kMajor, hello.software, hello.major)});
    return;
  }
  if (hello.campaign.empty() || hello.campaign.size() > 64) {
    send(peer, protocol::Failure{"hello", message("agent.bad_campaign",
                                                  "a campaign's id has 1 to 64 characters")});
    return;
  }
  const auto old = sessions_.find(hello.campaign);
  if (old != sessions_.end()) {
    receiver_.end_session(old->second.number, now);
    sessions_.erase(old);
  }
  sessions_[hello.campaign] = {++sessions_made_, peer, hello.campaign, now};
  send(peer, welcome());
}

protocol::Welcome Server::welcome() const {
  protocol::Welcome welcome;
  welcome.software = kVersion;
  welcome.instance = instance_;
  welcome.host = os::host_name();
  welcome.boot_id = os::boot_id();
  welcome.architecture = architecture();
  welcome.pid = static_cast<std::uint64_t>(::getpid());
  welcome.devices.assign(options_.devices.begin(), options_.devices.end());
  welcome.notices = notices_;
  return welcome;
}

void Server::assign(Session& session, const protocol::Assign& request, TimePoint now) {
  const protocol::TrialKey& key = request.key;
  const auto known = runners_.find(key);
  if (known != runners_.end()) {
    known->second->handle(CoordinatorSeen{request.events_from}, now);
    send_reports(*known->second);
    return;
  }
  const bool was_released = std::find(released_.begin(), released_.end(), key) != released_.end();
  if (stopping_ || key.instance != instance_ || key.campaign != session.campaign || was_released ||
      request.events_from > 0) {
    send(session.peer, protocol::Status{key, protocol::kStateLost, 0});
    return;
  }
  if (request.spec.command.empty()) {
    send(session.peer, protocol::Failure{"assign", message("agent.no_command",
                                                           "a trial needs a command to run")});
    return;
  }
  receiver_.pin(request.spec.files);
  RunnerSettings settings;
  const std::string label = fmt::format("{}-{}", instance_.substr(0, 8), ++serial_);
  settings.directory = options_.work_dir / "trials" / label;
  settings.cookie = fmt::format("{}={}", kCookieName, label);
  settings.reconnect_grace = options_.reconnect_grace;
  settings.output_limit_bytes = options_.output_limit_bytes;
  runners_.emplace(
      key, std::make_unique<TrialRunner>(key, request.spec, std::move(settings), environments_));
  queue_.push_back(key);
  send(session.peer, protocol::Status{key, protocol::kStateQueued, 0});
  begin_queued(now);
}

void Server::handle_trial(Session& session, const protocol::Request& request, TimePoint now) {
  const protocol::TrialKey& key = std::visit(
      []<typename T>(const T& asked) -> const protocol::TrialKey& {
        if constexpr (requires { asked.key; }) {
          return asked.key;
        } else {
          static const protocol::TrialKey kNone;
          return kNone;
        }
      },
      request);
  const auto found = runners_.find(key);
  if (found == runners_.end() || key.campaign != session.campaign) {
    send(session.peer, protocol::Status{key, protocol::kStateLost, 0});
    return;
  }
  TrialRunner& runner = *found->second;
  if (const auto* acknowledge = std::get_if<protocol::Acknowledge>(&request)) {
    runner.handle(Acknowledged{acknowledge->events}, now);
  } else if (std::holds_alternative<protocol::Cancel>(request)) {
    runner.handle(CancelAsked{}, now);
  } else if (const auto* fetch = std::get_if<protocol::Fetch>(&request)) {
    runner.fetch(*fetch);
  } else if (std::holds_alternative<protocol::Release>(request)) {
    runner.handle(ReleaseAsked{}, now);
  }
  send_reports(runner);
}

void Server::send(const std::string& peer, const protocol::Report& report, std::string payload) {
  // What is not taken is asked for again: events are numbered, status is repeated.
  static_cast<void>(socket_.send({peer, protocol::pack(report), std::move(payload)}));
}

// ---- sessions ----

Server::Session* Server::session_of(const std::string& peer) {
  const auto found = std::find_if(sessions_.begin(), sessions_.end(),
                                  [&](const auto& entry) { return entry.second.peer == peer; });
  return found == sessions_.end() ? nullptr : &found->second;
}

void Server::leave(const std::string& campaign, bool for_good, TimePoint now) {
  receiver_.end_session(sessions_.at(campaign).number, now);
  sessions_.erase(campaign);
  for (const auto& [key, runner] : runners_) {
    if (key.campaign == campaign) {
      runner->handle(CoordinatorGone{for_good}, now);
    }
  }
}

void Server::drop_silent_sessions(TimePoint now) {
  std::vector<std::string> silent;
  for (const auto& [campaign, session] : sessions_) {
    if (now >= after(session.last_heard, protocol::kSilenceMax)) {
      silent.push_back(campaign);
    }
  }
  for (const std::string& campaign : silent) {
    leave(campaign, false, now);
  }
}

// ---- trials ----

Server::Slot* Server::slot_of(const protocol::TrialKey& key) {
  const auto found = std::find_if(slots_.begin(), slots_.end(),
                                  [&](const Slot& slot) { return slot.holder == key; });
  return found == slots_.end() ? nullptr : &*found;
}

void Server::begin_queued(TimePoint now) {
  while (!queue_.empty()) {
    const auto runner = runners_.find(queue_.front());
    if (runner == runners_.end() || !runner->second->job().queued()) {
      queue_.pop_front();  // cancelled while it waited
      continue;
    }
    const auto free = std::find_if(slots_.begin(), slots_.end(),
                                   [](const Slot& slot) { return !slot.holder && !slot.unusable; });
    if (free == slots_.end()) {
      return;
    }
    free->holder = queue_.front();
    queue_.pop_front();
    if (free->device) {
      runner->second->use_devices({*free->device});
    }
    runner->second->begin(now);
    if (runner->second->wants_files()) {
      lay_out(*runner->second);
    }
    runner->second->step(now);
    send_reports(*runner->second);
  }
}

// The answer comes on this thread, later: the trial may be gone by then.
void Server::lay_out(TrialRunner& runner) {
  receiver_.lay_out(runner.om_directory(), runner.spec().files,
                    [this, key = runner.key(), trial = runner.om_directory().parent_path()](
                        const std::optional<Message>& failure) {
                      const auto found = runners_.find(key);
                      if (found != runners_.end()) {
                        found->second->on_laid_out(failure, steady_now());
                      } else {
                        remove_late_directory(trial);
                      }
                    });
}

void Server::step_files(TimePoint now) {
  receiver_.tick(now);
  receiver_.drain(now);
  for (const auto& [number, report] : receiver_.take_reports()) {
    const auto session = std::find_if(
        sessions_.begin(), sessions_.end(),
        [&, wanted = number](const auto& entry) { return entry.second.number == wanted; });
    if (session != sessions_.end()) {
      send(session->second.peer, report);
    }
  }
}

void Server::step_trials(TimePoint now) {
  for (auto place = runners_.begin(); place != runners_.end();) {
    TrialRunner& runner = *place->second;
    runner.step(now);
    send_reports(runner);
    if (!runner.job().finished()) {
      ++place;
      continue;
    }
    if (Slot* slot = slot_of(place->first)) {
      slot->holder.reset();
      slot->unusable = slot->unusable || runner.is_stuck();
    }
    receiver_.unpin(runner.spec().files);
    released_.push_back(place->first);
    if (released_.size() > kReleasedKept) {
      released_.pop_front();
    }
    place = runners_.erase(place);
  }
}

void Server::send_reports(TrialRunner& runner) {
  const auto session = sessions_.find(runner.key().campaign);
  for (OutgoingReport& outgoing : runner.take_reports()) {
    if (session != sessions_.end()) {
      send(session->second.peer, outgoing.report, std::move(outgoing.payload));
    }
  }
}

}  // namespace mstune::agent
