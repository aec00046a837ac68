#include "agent/desk.h"

#include <algorithm>
#include <utility>

#include "agent/spec_check.h"
#include "common/error.h"
#include "common/version.h"

namespace mstune::agent {
namespace {

constexpr std::size_t kReleasedKept = 4096;
constexpr std::size_t kCampaignIdMax = 64;
constexpr std::uint64_t kWaitMaxMs = 1000ULL * 3600 * 24 * 365;

// The trial that a request is about; an empty key when it is about none.
const protocol::TrialKey& key_of(const protocol::Request& request) {
  return std::visit(
      []<typename T>(const T& asked) -> const protocol::TrialKey& {
        if constexpr (requires { asked.key; }) {
          return asked.key;
        } else {
          static const protocol::TrialKey kNone;
          return kNone;
        }
      },
      request);
}

bool is_about_files(const protocol::Request& request) {
  return std::holds_alternative<protocol::Offer>(request) ||
         std::holds_alternative<protocol::OfferPage>(request) ||
         std::holds_alternative<protocol::Piece>(request) ||
         std::holds_alternative<protocol::Withdraw>(request);
}

// Who of the two is to be upgraded, where they have no version in common.
std::optional<Message> other_protocol(const protocol::Hello& hello) {
  const std::uint32_t oldest = hello.oldest_major == 0 ? hello.major : hello.oldest_major;
  if (hello.major < protocol::kMajor) {
    return message("agent.coordinator_too_old",
                   "the coordinator (mstune {}) speaks version {} of the protocol, this agent "
                   "version {}: upgrade the coordinator, by installing mstune {} there",
                   hello.software, hello.major, protocol::kMajor, kVersion);
  }
  if (oldest > protocol::kMajor) {
    return message("agent.too_old",
                   "this agent (mstune-agent {}) speaks version {} of the protocol, the "
                   "coordinator version {}: upgrade the agent, with scripts/install-agent.sh of "
                   "mstune {}",
                   kVersion, protocol::kMajor, oldest, hello.software);
  }
  return std::nullopt;
}

}  // namespace

Desk::Desk(desk::Options options) : options_(std::move(options)), slots_(options_.devices) {}

std::vector<desk::Action> Desk::handle(const desk::Event& event, TimePoint now) {
  drop_silent_sessions(now);
  give_up_waiting(now);
  let_go(files_.expire(now));
  std::visit([&](const auto& happened) { on(happened, now); }, event);
  give_out_slots(now);
  tell_waiting(now);
  return std::exchange(actions_, {});
}

TimePoint Desk::deadline() const {
  TimePoint earliest = std::min({next_status_, ask_again_, files_.deadline()});
  for (const auto& [campaign, session] : sessions_) {
    earliest = std::min(earliest, after(session.last_heard, protocol::kSilenceMax));
  }
  for (const Slots::Trial& trial : slots_.waiting()) {
    earliest = std::min(earliest, trial.until);
  }
  return earliest;
}

std::optional<std::string> Desk::peer_of_session(SessionId session) const {
  const auto found = std::find_if(sessions_.begin(), sessions_.end(), [&](const auto& entry) {
    return entry.second.number == session;
  });
  return found == sessions_.end() ? std::nullopt : std::make_optional(found->second.peer);
}

std::optional<std::string> Desk::peer_of_campaign(const std::string& campaign) const {
  const auto found = sessions_.find(campaign);
  return found == sessions_.end() ? std::nullopt : std::make_optional(found->second.peer);
}

SessionId Desk::session_of_campaign(const std::string& campaign) const {
  const auto found = sessions_.find(campaign);
  return found == sessions_.end() ? 0 : found->second.number;
}

void Desk::reply(const std::string& peer, protocol::Report report) {
  actions_.emplace_back(desk::Reply{peer, std::move(report)});
}

void Desk::refuse(const std::string& peer, const char* request, Message what) {
  reply(peer, protocol::Failure{request, std::move(what)});
}

// ---- messages ----

void Desk::on(const desk::MessageArrived& event, TimePoint now) {
  std::optional<protocol::Request> request;
  try {
    request = protocol::unpack_request(event.header);
  } catch (const Error& error) {
    refuse(event.peer, "", error.message());
    return;
  }
  if (!request) {
    refuse(event.peer, "",
           message("agent.unknown_request", "this agent does not know that request"));
    return;
  }
  if (const auto* hello = std::get_if<protocol::Hello>(&*request)) {
    greet(event, *hello, now);
    return;
  }
  Session* session = session_of(event);
  if (session == nullptr) {
    refuse(event.peer, protocol::tag(*request),
           message("agent.no_session", "say hello first: there is no session"));
    return;
  }
  session->last_heard = now;
  take(*session, std::move(*request), now);
}

// The client is compared as well: a peer may choose its routing id, and take one that is free.
Desk::Session* Desk::session_of(const desk::MessageArrived& arrived) {
  const auto found = std::find_if(sessions_.begin(), sessions_.end(), [&](const auto& entry) {
    return entry.second.peer == arrived.peer && entry.second.client == arrived.client;
  });
  return found == sessions_.end() ? nullptr : &found->second;
}

void Desk::greet(const desk::MessageArrived& arrived, const protocol::Hello& hello, TimePoint now) {
  const std::string& peer = arrived.peer;
  if (auto why = other_protocol(hello)) {
    refuse(peer, "hello", std::move(*why));
    return;
  }
  if (hello.campaign.empty() || hello.campaign.size() > kCampaignIdMax) {
    refuse(peer, "hello",
           message("agent.bad_campaign", "a campaign's id has 1 to {} characters", kCampaignIdMax));
    return;
  }
  if (belongs_to_another(hello.campaign, arrived.client)) {
    refuse(peer, "hello",
           message("agent.campaign_of_another",
                   "that campaign was begun with another key than {}: only its own client may go "
                   "on with it",
                   arrived.client));
    return;
  }
  // A peer that begins another campaign has left the one before.
  if (const Session* former = session_of(arrived)) {
    if (former->campaign != hello.campaign) {
      leave(std::string(former->campaign), true, now);
    }
  }
  const auto old = sessions_.find(hello.campaign);
  if (old == sessions_.end() && sessions_.size() >= options_.sessions_max) {
    refuse(peer, "hello",
           message("agent.too_many_sessions",
                   "{} coordinators are at this agent already: come back when one has left",
                   sessions_.size()));
    return;
  }
  if (old != sessions_.end()) {
    actions_.emplace_back(desk::EndSession{old->second.number, hello.campaign});
  }
  sessions_[hello.campaign] = {++sessions_made_, peer, arrived.client,
                               hello.campaign,   now,  arrived.key};
  files_.arrive(hello.campaign, arrived.client, hello.keep_files);
  protocol::Welcome greeting = options_.greeting;
  if (options_.cann_version) {
    greeting.cann_version = options_.cann_version(hello.cann_env);
  }
  if (auto told = options_.told_once.extract(hello.campaign)) {
    greeting.notices.push_back(std::move(told.mapped()));
  }
  reply(peer, std::move(greeting));
}

bool Desk::belongs_to_another(const std::string& campaign, const std::string& client) const {
  const auto session = sessions_.find(campaign);
  return (session != sessions_.end() && session->second.client != client) ||
         std::any_of(trials_.begin(), trials_.end(), [&](const auto& entry) {
           return entry.first.campaign == campaign && entry.second != client;
         });
}

void Desk::take(Session& session, protocol::Request request, TimePoint now) {
  if (const auto* ping = std::get_if<protocol::Ping>(&request)) {
    reply(session.peer, protocol::Pong{ping->sequence});
  } else if (const auto* assignment = std::get_if<protocol::Assign>(&request)) {
    assign(session, *assignment, now);
  } else if (std::holds_alternative<protocol::Goodbye>(request)) {
    leave(std::string(session.campaign), true, now);
  } else if (const auto* inspection = std::get_if<protocol::Inspect>(&request)) {
    inspect(session, *inspection, now);
  } else if (std::holds_alternative<protocol::Purge>(request)) {
    actions_.emplace_back(desk::PurgeStore{session.number});
  } else if (std::holds_alternative<protocol::Examine>(request) ||
             std::holds_alternative<protocol::ManagePass>(request)) {
    ask_box(session, std::move(request));
  } else if (is_about_files(request)) {
    if (const auto* offer = std::get_if<protocol::Offer>(&request)) {
      take_offer(session, *offer);
    } else {
      actions_.emplace_back(desk::PassToFiles{session.number, std::move(request)});
    }
  } else {
    take_trial_request(session, request);
  }
}

std::optional<Message> Desk::refusal(const Session& session,
                                     const protocol::Assign& request) const {
  // Counted over all of its campaigns: one that is left keeps its trials for the grace time.
  const auto of_client = std::count_if(trials_.begin(), trials_.end(), [&](const auto& entry) {
    return entry.second == session.client;
  });
  if (static_cast<std::size_t>(of_client) >= options_.trials_max) {
    return message("agent.too_many_trials", "{} trials of this client are here already", of_client);
  }
  const std::size_t waiting_max = std::max(options_.waiting_max, options_.devices.size());
  const auto waiting =
      std::count_if(slots_.waiting().begin(), slots_.waiting().end(),
                    [&](const Slots::Trial& trial) { return trial.client == session.client; });
  if (static_cast<std::size_t>(waiting) >= waiting_max) {
    return message("agent.too_many_waiting",
                   "{} trials of this client wait for a device here already: ask again later",
                   waiting);
  }
  auto mistake = mistake_in(request.spec);
  if (!mistake && options_.policy) {
    mistake = refusal_of_trial(*options_.policy, request.spec);
  }
  return mistake;
}

// Without keys nobody knows whose they are.
bool Desk::has_trials_of(const std::string& holder) const {
  return std::any_of(trials_.begin(), trials_.end(), [&](const auto& entry) {
    return entry.second.empty() || holder.starts_with(entry.second + " ");
  });
}

void Desk::assign(const Session& session, const protocol::Assign& request, TimePoint now) {
  const protocol::TrialKey& key = request.key;
  const bool own = key.campaign == session.campaign;
  if (own && trials_.contains(key)) {
    actions_.emplace_back(desk::TellTrial{key, CoordinatorSeen{request.events_from}});
    return;
  }
  const bool was_released = std::find(released_.begin(), released_.end(), key) != released_.end();
  if (!own || stopping_ || key.instance != options_.greeting.instance || was_released ||
      request.events_from > 0) {
    reply(session.peer, protocol::Status{key, protocol::TrialState::lost, 0, {}, {}});
    return;
  }
  if (auto why = refusal(session, request)) {
    reply(session.peer, protocol::Failure{"assign", *why});
    return;
  }
  trials_.emplace(key, session.client);
  slots_.wait(key, session.client, now, wait_until(request.spec, now), request.spec.devices);
  for (const protocol::FileReference& file : request.spec.files) {
    hold(session.campaign, file.identity, 0);
  }
  actions_.emplace_back(desk::CreateTrial{key, request.spec, session.client});
  reply(session.peer, waiting_status(key));
}

void Desk::ask_box(const Session& session, protocol::Request request) {
  if (auto* pass = std::get_if<protocol::ManagePass>(&request)) {
    if (auto why = options_.policy ? refusal_of_pass(*options_.policy) : std::nullopt) {
      reply(session.peer, protocol::PassManaged{"", false, std::move(*why)});
      return;
    }
    // What a client holds no other client can let go of, whatever name it gives.
    if (!session.client.empty()) {
      pass->hold = session.client + " " + pass->hold;
    }
  }
  actions_.emplace_back(desk::AskBox{session.campaign, std::move(request), session.client});
}

void Desk::take_trial_request(const Session& session, const protocol::Request& request) {
  const protocol::TrialKey& key = key_of(request);
  if (key.campaign != session.campaign || !trials_.contains(key)) {
    reply(session.peer, protocol::Status{key, protocol::TrialState::lost, 0, {}, {}});
    return;
  }
  if (const auto* acknowledge = std::get_if<protocol::Acknowledge>(&request)) {
    actions_.emplace_back(desk::TellTrial{key, Acknowledged{acknowledge->events}});
  } else if (std::holds_alternative<protocol::Cancel>(request)) {
    slots_.stop_waiting(key);
    actions_.emplace_back(desk::TellTrial{key, CancelAsked{}});
  } else if (const auto* fetch = std::get_if<protocol::Fetch>(&request)) {
    actions_.emplace_back(desk::FetchFile{*fetch});
  } else if (std::holds_alternative<protocol::Release>(request)) {
    actions_.emplace_back(desk::TellTrial{key, ReleaseAsked{}});
  }
}

// ---- sessions ----

void Desk::leave(const std::string& campaign, bool for_good, TimePoint now) {
  actions_.emplace_back(desk::EndSession{sessions_.at(campaign).number, campaign});
  sessions_.erase(campaign);
  if (for_good) {
    let_go(files_.end(campaign));
  } else {
    files_.lose(campaign, after(now, options_.reconnect_grace));
  }
  for (const auto& [key, client] : trials_) {
    if (key.campaign == campaign) {
      actions_.emplace_back(desk::TellTrial{key, CoordinatorGone{for_good}});
      if (for_good) {
        slots_.stop_waiting(key);
      }
    }
  }
}

void Desk::drop_silent_sessions(TimePoint now) {
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

void Desk::on(const desk::StopAsked& /*event*/, TimePoint now) {
  stopping_ = true;
  while (!sessions_.empty()) {
    leave(std::string(sessions_.begin()->first), true, now);
  }
  for (const auto& [key, client] : trials_) {
    actions_.emplace_back(desk::TellTrial{key, CoordinatorGone{true}});
    slots_.stop_waiting(key);
  }
}

void Desk::on(const desk::Tick& /*event*/, TimePoint /*now*/) {}

// ---- files and the agent itself ----

void Desk::let_go(FilesLeft files) {
  if (!files.unneeded.empty()) {
    actions_.emplace_back(desk::LetGo{std::move(files)});
  }
}

void Desk::inspect(const Session& session, const protocol::Inspect& request, TimePoint now) {
  protocol::Condition condition;
  condition.sequence = request.sequence;
  condition.devices = slots_.conditions(now);
  condition.queued = slots_.waiting().size();
  condition.sessions = sessions_.size();
  actions_.emplace_back(desk::ReportCondition{session.number, std::move(condition)});
}

// ---- devices ----

void Desk::on(const desk::TrialGone& event, TimePoint /*now*/) {
  slots_.release(event.key, event.stuck);
  trials_.erase(event.key);
  released_.push_back(event.key);
  if (released_.size() > kReleasedKept) {
    released_.pop_front();
  }
}

void Desk::on(const desk::StuckGone& event, TimePoint /*now*/) {
  slots_.recover(event.key);
}

void Desk::give_out_slots(TimePoint now) {
  ask_again_ = kNever;
  if (stopping_) {
    return;
  }
  if (slots_.can_give_out() && options_.may_measure && !options_.may_measure()) {
    ask_again_ = after(now, options_.ask_again_every);
  } else {
    for (Slots::Grant& grant : slots_.give_out(now)) {
      actions_.emplace_back(desk::BeginTrial{std::move(grant.key), std::move(grant.devices)});
    }
  }
  for (const protocol::TrialKey& key : slots_.hopeless()) {
    slots_.stop_waiting(key);
    actions_.emplace_back(desk::TellTrial{
        key, NotStarted{message("agent.device_not_usable",
                                "this agent does not offer all of the devices that the trial "
                                "wants, or a process on one of them cannot be killed"),
                        protocol::kCauseDeviceBusy}});
  }
}

TimePoint Desk::wait_until(const protocol::TrialSpec& spec, TimePoint now) const {
  TimePoint until = kNever;
  if (spec.wait_timeout_ms > 0) {
    until = after(now, std::chrono::milliseconds(std::min(spec.wait_timeout_ms, kWaitMaxMs)));
  }
  return options_.policy ? std::min(until, after(now, options_.policy->wait_max)) : until;
}

protocol::Status Desk::waiting_status(const protocol::TrialKey& key) const {
  protocol::Status status{key, protocol::TrialState::queued, 0, protocol::WaitsFor::device, {}};
  if (ask_again_ == kNever) {
    status.held_by = slots_.others_before(key);
  } else {
    status.waits_for = protocol::WaitsFor::quiet_machine;
  }
  return status;
}

void Desk::give_up_waiting(TimePoint now) {
  const auto waiting = slots_.waiting();  // a copy: it changes below
  for (const Slots::Trial& trial : waiting) {
    if (now < trial.until) {
      continue;
    }
    const Duration waited = trial.until - trial.since;
    const std::string holders = slots_.holders();
    const bool by_rule = options_.policy && waited >= options_.policy->wait_max;
    const std::string time = duration_text(std::chrono::duration<double>(waited).count());
    const char* limit = by_rule ? "wait-time in agent.conf" : "--wait-timeout";
    Message why =
        ask_again_ != kNever
            ? message("agent.machine_not_quiet",
                      "no device was free, or something was built on the agent's machine or sent "
                      "from it, for {} ({}): wait longer",
                      time, limit)
            : message("agent.waited_too_long",
                      "no device was free for {} ({}); held by {}: see mstune agents, or wait "
                      "longer",
                      time, limit, holders.empty() ? "nobody" : holders);
    slots_.stop_waiting(trial.key);
    actions_.emplace_back(
        desk::TellTrial{trial.key, NotStarted{std::move(why), protocol::kCauseWait}});
  }
}

void Desk::tell_waiting(TimePoint now) {
  if (slots_.waiting().empty()) {
    next_status_ = kNever;
    return;
  }
  if (next_status_ == kNever) {  // the first of them has just been told
    next_status_ = after(now, options_.status_period);
  }
  if (now < next_status_) {
    return;
  }
  next_status_ = after(now, options_.status_period);
  for (const Slots::Trial& trial : slots_.waiting()) {
    if (const auto peer = peer_of_campaign(trial.key.campaign)) {
      reply(*peer, waiting_status(trial.key));
    }
  }
}

}  // namespace mstune::agent
