#include "agent/server.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "agent/work_directory.h"
#include "common/error.h"
#include "common/language.h"
#include "common/os/cann_version.h"
#include "common/os/clock.h"
#include "common/os/file.h"
#include "common/os/identity.h"
#include "common/os/limits.h"
#include "common/os/process_tree.h"
#include "common/os/service_manager.h"
#include "common/version.h"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace mstune::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kWaitMax{1};
constexpr Duration kLeaseSilenceLeast = std::chrono::seconds(15);  // several renewals
constexpr std::chrono::seconds kListAgainEvery{1};  // while trials run: whose may have to end
constexpr std::size_t kSilentMax = 2048;            // connections; each may keep a frame
constexpr int kMessagesPerTurn = 64;                // then whoever else waits has a turn

std::vector<std::string> own_environment() {
  std::vector<std::string> strings;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    strings.emplace_back(*entry);
  }
  return strings;
}

// Of the toolkit that trials with this cann_env will use.
std::string cann_version(const std::string& cann_env) {
  if (!cann_env.empty()) {
    return os::cann_version_of_script(cann_env);
  }
  for (const char* variable : {"ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"}) {
    const char* home = std::getenv(variable);
    std::string version = home == nullptr ? std::string() : os::cann_version_at(home);
    if (!version.empty()) {
      return version;
    }
  }
  return {};
}

DeviceWatch::Options device_options(const ServerOptions& options) {
  DeviceWatch::Options result = options.devices;
  result.look = !options.ends_with_parent;  // a coordinator's own agent offers none: no need to ask
  result.lock_directory = os::turn_directory();
  return result;
}

// The trace comes before the directory that it tells of.
os::UniqueFd claim_after_trace(const ServerOptions& options, std::optional<LocalTrace>& trace) {
  if (!options.ends_with_parent) {
    return claim_work_directory(options.work_dir);
  }
  trace.emplace(os::turn_directory(), options.work_dir);
  // The agent of the campaign's killed life may be about to end, and have left no trace yet.
  constexpr Duration kEndingMax = std::chrono::seconds(20);
  constexpr auto kAskEvery = std::chrono::milliseconds(20);
  for (const TimePoint until = after(os::steady_now(), kEndingMax);;) {
    try {
      return claim_work_directory(options.work_dir);
    } catch (const Error&) {
      if (os::steady_now() >= until) {
        throw;
      }
      std::this_thread::sleep_for(kAskEvery);
    }
  }
}

}  // namespace

Server::Server(ServerOptions options)
    : options_(std::move(options)),
      lock_(claim_after_trace(options_, trace_)),
      instance_(os::random_hex_id()),
      gate_(options_.gate ? std::make_optional<Gate>(*options_.gate) : std::nullopt),
      former_lives_(clear_former_life(options_.work_dir)),
      devices_(device_options(options_), parse_environment(own_environment())),
      socket_(os::Socket::listen(options_.endpoint,
                                 gate_ ? std::make_optional(gate_->security()) : std::nullopt,
                                 {.frame_bytes_max = protocol::kFrameBytesMax})),
      half_open_(std::min<std::size_t>(os::raise_descriptor_limit() / 2, kSilentMax)),
      environments_(options_.work_dir, parse_environment(own_environment()), options_.policy),
      box_desk_(options_.work_dir, environments_),
      receiver_(options_.work_dir / "store", {.limit_bytes = options_.store_limit_bytes}),
      turn_(os::turn_directory()),
      desk_(desk_options()),
      started_(os::steady_now()) {
  os::become_subreaper();
  os::ignore_broken_pipes();
  if (options_.ends_with_parent) {
    const pid_t parent = ::getppid();
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    stopping_ = ::getppid() != parent || parent == 1;  // it ended before the kernel was asked
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

void Server::run() {
  while (!stopping_ || !runners_.empty()) {
    os::PollSet polled;
    wait(polled, os::steady_now());
    const TimePoint now = os::steady_now();
    look_at_connections();
    get_done([&] {
      if (gate_) {
        gate_->serve(now);
      }
      tell_who_was_taken_off(now);
    });
    get_done([&] {
      if (polled.readable(signals_.descriptor())) {
        look_at_signals(now);
      }
    });
    get_done([&] {
      if (polled.readable(socket_)) {
        receive(now);
      }
    });
    get_done([&] {
      if (now >= desk_.deadline()) {
        tell_desk(desk::Tick{}, now);
      }
    });
    get_done([&] { environments_.step(now); });
    get_done([&] { step_box(now); });
    get_done([&] {
      if (polled.readable(receiver_.descriptor()) || now >= receiver_.deadline()) {
        step_files(now);
      }
    });
    const TimePoint later = os::steady_now();  // files that were laid out may have started a trial
    step_trials(later);
    get_done([&] { step_devices(later); });
    get_done([&] { step_refused(later); });
    get_done([&] { tell_who_measures(later); });
    get_done([&] { turn_.settle(desk_.has_waiting_trials()); });
    get_done([&] { look_at_stuck(later); });
    get_done([&] { tell_conditions(later); });
  }
}

// ---- waiting ----

TimePoint Server::deadline() const {
  TimePoint earliest =
      std::min({environments_.deadline(), receiver_.deadline(), box_desk_.deadline(),
                desk_.deadline(), devices_.deadline(), stuck_.deadline()});
  for (const auto& [key, runner] : runners_) {
    const auto resting = resting_.find(key);
    earliest = std::min(earliest, resting == resting_.end()
                                      ? runner->deadline()
                                      : std::max(runner->deadline(), resting->second));
  }
  return earliest;
}

void Server::wait(os::PollSet& polled, TimePoint now) {
  polled.add(socket_);
  if (gate_) {
    polled.add(gate_->handler());
  }
  polled.add(signals_.descriptor());
  polled.add(receiver_.descriptor());
  for (const int descriptor : environments_.descriptors()) {
    polled.add(descriptor);
  }
  for (const int descriptor : devices_.descriptors()) {
    polled.add(descriptor);
  }
  for (const int descriptor : box_desk_.descriptors()) {
    polled.add(descriptor);
  }
  for (const auto& [key, runner] : runners_) {
    for (const int descriptor : runner->descriptors(now)) {
      polled.add(descriptor);
    }
  }
  Duration longest =
      turn_.waiting().empty() ? Duration(kWaitMax) : Duration(desk::kAskForTurnEvery);
  if (gate_ && desk_.trials() > 0) {
    longest = std::min<Duration>(longest, kListAgainEvery);
  }
  polled.wait(std::min(os::time_left(deadline(), now), longest));
}

void Server::look_at_signals(TimePoint now) {
  while (const auto signal = signals_.next()) {
    if (*signal == SIGCHLD) {
      os::reap_orphans();
    } else {
      stopping_ = true;
      os::tell_service_manager(options_.notify_socket, "STOPPING=1");
      tell_desk(desk::StopAsked{}, now);
    }
  }
}

// ---- messages ----

void Server::receive(TimePoint now) {
  for (int i = 0; i < kMessagesPerTurn; ++i) {
    auto frames = socket_.receive();
    if (!frames) {
      return;
    }
    half_open_.heard(frames->descriptor);
    get_done([&] {
      receive_one(std::move(*frames), now);
      tell_who_was_taken_off(now);
    });
  }
}

void Server::receive_one(os::Frames frames, TimePoint now) {
  std::string key;
  if (gate_) {
    auto client = gate_->client_of(frames.user, now);
    if (!client) {
      return;  // taken off the list since it connected
    }
    key = std::exchange(frames.user, std::move(*client));
  }
  tell_desk(desk::MessageArrived{std::move(frames.peer), std::move(frames.user),
                                 std::move(frames.header), std::move(key)},
            now, std::move(frames.payload));
  forget_finished(now);  // the next message may ask for one that this one released
}

desk::Options Server::desk_options() {
  desk::Options options;
  options.devices = devices_.devices();
  options.cann_version = cann_version;
  options.may_measure = [this] { return turn_.take(); };
  options.policy = options_.policy;
  options.reconnect_grace = options_.reconnect_grace;
  protocol::Welcome& welcome = options.greeting;
  welcome.software = kVersion;
  welcome.capabilities = {protocol::kCanRenewPasses};
  welcome.instance = instance_;
  welcome.host = os::host_name();
  welcome.boot_id = os::boot_id();
  welcome.architecture = os::architecture();
  welcome.pid = static_cast<std::uint64_t>(::getpid());
  welcome.devices.assign(devices_.devices().begin(), devices_.devices().end());
  welcome.chips = devices_.chips();
  welcome.driver_version = devices_.driver_version();
  welcome.notices = devices_.notices();
  for (const auto& [campaign, life] : former_lives_) {
    if (campaign.empty()) {
      welcome.notices.push_back(sentence_of(life));
    } else {
      options.told_once.emplace(campaign, sentence_of(life));
    }
  }
  if (trace_) {
    const std::vector<Message>& found = trace_->notices();
    welcome.notices.insert(welcome.notices.end(), found.begin(), found.end());
  }
  return options;
}

void Server::tell_desk(const desk::Event& event, TimePoint now, std::string payload) {
  for (desk::Action& action : desk_.handle(event, now)) {
    // Each by itself: what the desk has decided is done, whatever becomes of the one before.
    get_done([&] { carry_out(action, payload, now); });
  }
}

void Server::carry_out(desk::Action& action, std::string& payload, TimePoint now) {
  if (auto* reply = std::get_if<desk::Reply>(&action)) {
    send(reply->peer, reply->report);
  } else if (auto* files = std::get_if<desk::PassToFiles>(&action)) {
    receiver_.handle(files->session, files->request, std::move(payload), now);
    step_files(now);
  } else if (const auto* question = std::get_if<desk::AskBox>(&action)) {
    box_desk_.handle(question->campaign, question->client, question->request, payload);
  } else if (const auto* ended = std::get_if<desk::EndSession>(&action)) {
    receiver_.end_session(ended->session, now);
    box_desk_.forget(ended->campaign);
  } else if (auto* created = std::get_if<desk::CreateTrial>(&action)) {
    create(*created);
  } else if (const auto* begun = std::get_if<desk::BeginTrial>(&action)) {
    TrialRunner& runner = *runners_.at(begun->key);
    try {
      begin(runner, begun->devices, now);
    } catch (const Error& error) {
      runner.handle(NotStarted{error.message()}, now);  // or its device would stay taken
      send_reports(runner);
    }
  } else if (const auto* told = std::get_if<desk::TellTrial>(&action)) {
    TrialRunner& runner = *runners_.at(told->key);
    runner.handle(told->event, now);
    send_reports(runner);
  } else if (const auto* fetch = std::get_if<desk::FetchFile>(&action)) {
    TrialRunner& runner = *runners_.at(fetch->request.key);
    runner.handle(FilesAsked{}, now);
    runner.fetch(fetch->request);
    send_reports(runner);
  } else {
    carry_out_on_store(action);
  }
}

void Server::carry_out_on_store(desk::Action& action) {
  if (const auto* hold = std::get_if<desk::HoldFile>(&action)) {
    receiver_.hold(hold->identity);
  } else if (const auto* let_go = std::get_if<desk::LetGo>(&action)) {
    receiver_.let_go(let_go->files);
  } else if (auto* report = std::get_if<desk::ReportCondition>(&action)) {
    asked_.push_back(std::move(*report));
  } else {
    receiver_.purge([this, number = std::get<desk::PurgeStore>(action).session](
                        std::uint64_t freed, const StoreUsage& usage) {
      send_to(number, protocol::Purged{freed, usage.bytes});
    });
  }
}

// Meters are read first, unless a trial might be disturbed by that.
void Server::tell_conditions(TimePoint now) {
  if (asked_.empty()) {
    return;
  }
  if (!runners_.empty()) {
    devices_.leave_alone();
  } else if (!devices_.refresh(now)) {
    return;
  }
  for (desk::ReportCondition& report : std::exchange(asked_, {})) {
    devices_.describe(report.condition.devices, now);
    receiver_.inspect([this, number = report.session,
                       condition = std::move(report.condition)](const StoreUsage& usage) mutable {
      condition.store = {usage.blobs, usage.bytes, usage.pinned_bytes, usage.limit_bytes,
                         usage.free_bytes};
      condition.running_s = static_cast<std::uint64_t>(
          std::chrono::duration_cast<std::chrono::seconds>(os::steady_now() - started_).count());
      send_to(number, condition);
    });
  }
}

// Its session may have ended while the answer was being made.
void Server::send_to(SessionId number, const protocol::Report& report) {
  if (const auto peer = desk_.peer_of_session(number)) {
    send(*peer, report);
  }
}

void Server::send(const std::string& peer, const protocol::Report& report, std::string payload) {
  // What is not taken is asked for again: events are numbered, status is repeated.
  static_cast<void>(socket_.send({peer, protocol::pack(report), std::move(payload)}));
}

// ---- trials ----

void Server::create(desk::CreateTrial& action) {
  receiver_.pin(action.spec.files);
  RunnerSettings settings;
  settings.client = action.client;
  const std::string label = fmt::format("{}-{}", instance_.substr(0, 8), ++serial_);
  settings.directory = options_.work_dir / "trials" / label;
  settings.cookie = fmt::format("{}={}", kCookieName, label);
  settings.reconnect_grace = options_.reconnect_grace;
  settings.output_limit_bytes = options_.output_limit_bytes;
  settings.policy = options_.policy;
  runners_.emplace(action.key, std::make_unique<TrialRunner>(action.key, std::move(action.spec),
                                                             std::move(settings), environments_));
}

void Server::step_files(TimePoint now) {
  receiver_.tick(now);
  receiver_.drain(now);
  send_files_reports();
}

void Server::send_files_reports() {
  for (const auto& [number, report] : receiver_.take_reports()) {
    if (const auto* refused = std::get_if<protocol::Refused>(&report)) {
      tell_desk(desk::UploadRefused{number, refused->upload}, os::steady_now());
    }
    send_to(number, report);
  }
}

void Server::step_box(TimePoint now) {
  LeaseRules rules;
  rules.silence_max = std::max<Duration>(options_.reconnect_grace, kLeaseSilenceLeast);
  rules.idle_max = options_.policy ? options_.policy->run_max : Duration::zero();
  rules.has_trials = [this](const std::string& holder) { return desk_.has_trials_of(holder); };
  const bool measuring = std::any_of(runners_.begin(), runners_.end(), [](const auto& entry) {
    return entry.second->job().is_at_work();
  });
  box_desk_.step(rules, measuring, now);
  for (const auto& [campaign, report] : box_desk_.take_reports()) {
    if (const auto peer = desk_.peer_of_campaign(campaign)) {
      send(*peer, report);
    }
  }
}

void Server::forget_finished(TimePoint now) {
  std::vector<protocol::TrialKey> gone;
  for (const auto& [key, runner] : runners_) {
    if (runner->job().finished()) {
      gone.push_back(key);
    }
  }
  // The desk first: until it knows, it may speak of them.
  for (const protocol::TrialKey& key : gone) {
    const TrialRunner& runner = *runners_.at(key);
    if (runner.is_stuck()) {
      os::ProcessInfo keeper;
      keeper.key = runner.keeper();
      stuck_.add(key, {keeper}, now);
    }
    tell_desk(desk::TrialGone{key, runner.is_stuck()}, now);
    receiver_.unpin(runner.spec().files);
    devices_.forget(key);
    turn_.let_go(key);
    resting_.erase(key);
    runners_.erase(key);
  }
}

void Server::tell_who_measures(TimePoint now) {
  std::vector<SessionId> sessions;
  for (const auto& [key, runner] : runners_) {
    if (runner->job().is_at_work()) {
      sessions.push_back(desk_.session_of_campaign(key.campaign));
    }
  }
  receiver_.measure(std::move(sessions), now);
  send_files_reports();
}

void Server::look_at_stuck(TimePoint now) {
  for (const protocol::TrialKey& key : stuck_.look(os::is_running, now)) {
    fmt::print(stderr, "mstune-agent: {}\n",
               said(message("agent.device_again",
                            "the processes of trial {} that could not be killed are gone: its "
                            "device is used again",
                            key.trial)));
    tell_desk(desk::StuckGone{key}, now);
  }
}

void Server::send_reports(TrialRunner& runner) {
  const auto peer = desk_.peer_of_campaign(runner.key().campaign);
  for (OutgoingReport& outgoing : runner.take_reports()) {
    if (peer) {
      send(*peer, outgoing.report, std::move(outgoing.payload));
    }
  }
}

}  // namespace mstune::agent
