// The loop, builds and uploads; trials and what agents say of them are session_trials.cpp's, the
// fleet is session_fleet.cpp's.
#include "coordinator/session.h"

#include <algorithm>
#include <csignal>
#include <iterator>
#include <utility>

#include "common/digest.h"
#include "common/error.h"
#include "common/key.h"
#include "common/os/clock.h"
#include "common/os/limits.h"
#include "common/os/output_log.h"
#include "common/os/process_tree.h"
#include "coordinator/output_end.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

// All uploads together have a bounded share of memory, so that many agents cost less than 1 MiB
// each; one or two have the whole window. A piece is enough where there are many: while one agent
// writes, others receive.
upload::Options upload_options(Duration timeout, std::size_t agents) {
  constexpr std::uint64_t kWindowsTogether = std::uint64_t{8} << 20U;
  upload::Options options;
  options.window_bytes =
      std::clamp<std::uint64_t>(kWindowsTogether / std::max<std::size_t>(agents, 1),
                                protocol::kPieceBytesMax, protocol::kTransferWindowBytes);
  if (timeout > Duration::zero()) {
    options.upload_timeout = timeout;
  }
  return options;
}

CampaignSettings campaign_settings(const SessionOptions& options) {
  CampaignSettings settings = options.campaign;
  settings.agents = options.agents.size();
  settings.check_fleet = true;
  for (const AgentOptions& agent : options.agents) {
    settings.agent_names.push_back(agent.name);
  }
  return settings;
}

}  // namespace

Session::Session(SessionOptions options, Stages& stages, const RunDirectory& directory,
                 Progress& progress)
    : options_(std::move(options)),
      stages_(stages),
      directory_(directory),
      progress_(progress),
      campaign_id_(options_.session_id),
      dispatcher_(campaign_settings(options_), os::steady_now()),
      turn_(os::turn_directory()),
      descriptors_max_(os::raise_descriptor_limit()),
      reader_(digesting_) {
  fleet_.spread = options_.campaign.spread;
  for (const AgentOptions& agent : options_.agents) {
    AgentRecord record;
    record.target = agent.name;
    fleet_.agents.push_back(std::move(record));
    agents_.emplace_back();
    agents_.back().connection = std::make_unique<Connection>(
        agent.endpoint, agent.security, campaign_id_,
        upload_options(options_.upload_timeout, options_.agents.size()), worker_, os::steady_now());
    agents_.back().connection->keep_files(agent.keep_files);
    agents_.back().connection->use_cann(agent.spec.cann_env);
    const auto answered = options_.server_keys.find(agent.name);
    if (answered != options_.server_keys.end() && agent.security &&
        answered->second == key_text(agent.security->server_key)) {
      agents_.back().connection->trust_key();
    }
  }
  take_over_fleet();
}

Session::~Session() = default;

SessionResult Session::run() {
  os::become_subreaper();  // what a build leaves behind comes to us and is ended
  progress_.tick(os::steady_now());
  progress_.planned(dispatcher_.trials(), options_.campaign.open_ended);
  std::vector<Trial> planned;
  for (std::uint32_t trial = 0; trial < dispatcher_.trials(); ++trial) {
    planned.push_back(dispatcher_.trial(trial));
  }
  take_over_finished(planned);
  try {
    go_on();
  } catch (...) {
    say_goodbye();  // or the agents would wait for us
    throw;
  }
  refused_ = refused_ && result_.ending == Ending::failed;
  find_former_agents();
  say_goodbye();
  sort_results();
  if (result_.ending == Ending::complete) {
    put_aside_unplanned();
  }
  if (dispatcher_.has_fleet()) {
    result_.fleet = fleet_;
  }
  return std::move(result_);
}

void Session::go_on() {
  dispatch(TurnChanged{may_move_}, os::steady_now());
  look_at_local_agent(os::steady_now());  // before its end could be heard of
  // A build that is not wanted any more is over when all is gone that it started.
  while ((!dispatcher_.finished() || !builds_.empty()) && !result_.left_at_once) {
    os::PollSet polled;
    wait(polled, os::steady_now());
    const TimePoint now = os::steady_now();
    progress_.tick(now);
    if (polled.readable(signals_.descriptor())) {
      look_at_signals(now);
    }
    step_builds(now);
    worker_.drain();
    digesting_.drain();
    step_agents(polled, now);
    fetch_what_is_due(now);
    renew_leases(now);
    if (now >= dispatcher_.deadline()) {
      dispatch(Tick{}, now);
    }
    step_turn(now);
  }
}

// A resume that is refused leaves alone what the killed session left running: whoever corrects the
// mistake within the agents' grace time goes on with it.
void Session::say_goodbye() {
  if (refused_) {
    return;
  }
  for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
    send(agent, protocol::Goodbye{});
  }
}

void Session::send(std::size_t agent, const protocol::Request& request) {
  agents_[agent].connection->send(request);
}

// ---- waiting ----

TimePoint Session::deadline() const {
  TimePoint earliest =
      std::min({dispatcher_.deadline(), progress_.deadline(), turn_.deadline(), renew_leases_at_});
  for (const AgentSide& agent : agents_) {
    earliest = std::min(earliest, agent.connection->deadline());
  }
  for (const ActiveBuild& active : builds_) {
    earliest = std::min(earliest, active.build.deadline());
  }
  for (const auto& [number, active] : active_) {
    if (active.collector) {
      earliest = std::min(earliest, active.collector->deadline());
    }
  }
  return earliest;
}

void Session::wait(os::PollSet& polled, TimePoint now) {
  for (const AgentSide& agent : agents_) {
    agent.connection->watch(polled);
  }
  polled.add(signals_.descriptor());
  polled.add(worker_.descriptor());
  polled.add(digesting_.descriptor());
  for (const ActiveBuild& active : builds_) {
    polled.add(active.build.descriptor());
  }
  polled.wait(os::time_left(deadline(), now));
}

void Session::look_at_signals(TimePoint now) {
  while (const auto signal = signals_.next()) {
    if (*signal == SIGCHLD) {
      os::reap_orphans();
      look_at_local_agent(now);
    } else if (interrupted_ && *signal == SIGHUP) {
      continue;  // a terminal that is closed says so more than once
    } else if (interrupted_) {
      result_.left_at_once = true;
      result_.ending = Ending::interrupted;
      result_.why = message("campaign.left_at_once",
                            "interrupted twice: left without waiting for what still ran");
    } else {
      interrupted_ = true;
      progress_.note(message("campaign.interrupting",
                             "interrupted: ending what runs (once more to leave at once)"));
      dispatch(InterruptAsked{}, now);
    }
  }
}

// It is our child: nobody waits for it to come back by itself.
void Session::look_at_local_agent(TimePoint now) {
  if (local_ == nullptr || !local_->has_ended()) {
    return;
  }
  const Message words = local_->last_words();
  if (++local_deaths_ >= options_.campaign.attempts_max) {
    local_ = nullptr;
    dispatch(AgentRefused{0, message("local_agent.died",
                                     "the agent on this machine ended {} times, at last: {}",
                                     local_deaths_, words)},
             now);
    return;
  }
  progress_.note(message("local_agent.again",
                         "the agent on this machine ended ({}): it is started again ({} of {})",
                         words, local_deaths_, options_.campaign.attempts_max - 1));
  try {
    local_->start_again();
  } catch (const Error& error) {
    local_ = nullptr;
    dispatch(AgentRefused{0, error.message()}, now);
  }
}

// Only those that have something to say or to do: asking a silent socket costs system calls.
void Session::step_agents(const os::PollSet& polled, TimePoint now) {
  for (std::size_t at = 0; at < agents_.size(); ++at) {
    Connection& connection = *agents_[at].connection;
    if (connection.is_due() || now >= connection.deadline() || connection.is_readable(polled)) {
      for (const ConnectionEvent& event : connection.step(now)) {
        take(at, event, now);
      }
    }
  }
}

void Session::dispatch(const CampaignEvent& event, TimePoint now) {
  for (const CampaignAction& action : dispatcher_.handle(event, now)) {
    carry_out(action, now);
  }
}

void Session::carry_out(const CampaignAction& action, TimePoint now) {
  if (const auto* build = std::get_if<StartBuild>(&action)) {
    start_build(build->candidate, now);
  } else if (std::holds_alternative<StopBuilds>(action)) {
    for (ActiveBuild& active : builds_) {
      active.build.cancel();
    }
  } else if (const auto* upload = std::get_if<StartUpload>(&action)) {
    start_upload(*upload, now);
  } else if (const auto* assignment = std::get_if<AssignAttempt>(&action)) {
    assign(*assignment, now);
  } else if (const auto* collection = std::get_if<CollectAttempt>(&action)) {
    collect(collection->attempt, now);
  } else if (const auto* release = std::get_if<ReleaseAttempt>(&action)) {
    send(release->attempt.agent, protocol::Release{key_of(release->attempt)});
    forget(release->attempt);
  } else if (const auto* cancel = std::get_if<CancelAttempt>(&action)) {
    send(cancel->attempt.agent, protocol::Cancel{key_of(cancel->attempt), "interrupted"});
  } else if (const auto* discard = std::get_if<DiscardAttempt>(&action)) {
    discard_attempt(*discard);
  } else if (const auto* unrun = std::get_if<RecordVoid>(&action)) {
    record_void(*unrun);
  } else if (std::holds_alternative<CheckFleet>(action)) {
    check_fleet(now);
  } else if (const auto* device = std::get_if<GiveUpDevice>(&action)) {
    give_up(*device);
  } else if (const auto* agent = std::get_if<GiveUpAgent>(&action)) {
    give_up(*agent, now);
  } else if (std::holds_alternative<NeedMore>(action)) {
    ask_stages(now);
  } else if (const auto* tell = std::get_if<Tell>(&action)) {
    progress_.note(tell->what);
  } else if (const auto* finish = std::get_if<Finish>(&action)) {
    result_.ending = finish->ending;
    result_.why = finish->why;
    for (ActiveBuild& active : builds_) {
      active.build.cancel();
    }
  }
}

// ---- builds and uploads ----

// An OM that an earlier session built is not built again.
bool Session::take_over_om(std::size_t candidate, TimePoint now) {
  const auto built = options_.oms.find(name(dispatcher_.candidates()[candidate]));
  if (built == options_.oms.end() || !fs::is_regular_file(built->second.path)) {
    return false;
  }
  oms_[candidate] = built->second.path;
  dispatch(Built{candidate}, now);
  return true;
}

// Trials before and after a resume measure the same OM, or they could not be compared.
bool Session::is_same_om(const Destination& destination, const ReadFile& file, TimePoint now) {
  const auto& [agent, candidate] = destination;
  const std::string which = name(dispatcher_.candidates()[candidate]);
  const BuiltOm om{hex(file.source->manifest->identity), oms_.at(candidate).string()};
  const auto before = options_.oms.find(which);
  if (before == options_.oms.end()) {
    directory_.note_om(which, om);
    options_.oms.emplace(which, om);  // noted once, however many agents get it
    return true;
  }
  if (before->second.identity == om.identity) {
    return true;
  }
  refused_ = options_.before.has_value();
  dispatch(UploadFailed{agent, candidate,
                        message("resume.other_om",
                                "the OM of {} ({}) is not the one that this run was begun with: "
                                "put that one back, or start a new run",
                                which, om.path)},
           now);
  return false;
}

void Session::start_build(std::size_t candidate, TimePoint now) {
  if (take_over_om(candidate, now)) {
    return;
  }
  BuildRequest request = options_.build;
  request.candidate = dispatcher_.candidates()[candidate];
  request.session_id = campaign_id_;
  if (request.command.empty()) {  // there are only the targets' files to send
    dispatch(Built{candidate}, now);
    return;
  }
  progress_.building(request.candidate);
  try {
    builds_.push_back({candidate, Build(std::move(request), now), now});
  } catch (const Error& error) {
    dispatch(BuildFailed{candidate, error.message()}, now);
  }
}

void Session::step_builds(TimePoint now) {
  for (std::size_t i = 0; i < builds_.size();) {
    auto outcome = builds_[i].build.step(now);
    if (!outcome) {
      ++i;
      continue;
    }
    const std::size_t candidate = builds_[i].candidate;
    const double seconds = std::chrono::duration<double>(now - builds_[i].started).count();
    builds_.erase(builds_.begin() + static_cast<std::ptrdiff_t>(i));
    if (const auto* why = std::get_if<Message>(&*outcome)) {
      constexpr std::size_t kLines = 20;
      const Candidate& failed = dispatcher_.candidates()[candidate];
      std::string end = output_end(build_log(options_.build.om_directory, failed));
      progress_.build_failed(failed, os::last_lines_of(std::move(end), kLines));
      dispatch(BuildFailed{candidate, *why}, now);
      continue;
    }
    oms_[candidate] = std::get<fs::path>(*outcome);
    progress_.built(dispatcher_.candidates()[candidate], seconds, oms_[candidate].string());
    dispatch(Built{candidate}, now);
  }
  if (builds_.empty()) {
    for (const StartUpload& upload : std::exchange(held_uploads_, {})) {
      start_upload(upload, now);
    }
  }
}

void Session::step_turn(TimePoint now) {
  constexpr auto kWorthTelling = std::chrono::seconds(2);
  if (!turn_.is_due(dispatcher_.moves(), now)) {
    return;
  }
  const bool may_move = turn_.step(dispatcher_.moves(), now);
  for (const AgentSide& agent : agents_) {
    agent.connection->let_upload(turn_.may_go_on(), now);
  }
  if (turn_.waited(now) >= kWorthTelling) {
    progress_.note(
        message("campaign.waits_for_turn",
                "builds and uploads wait: a trial is running on this machine, or is about to"));
  }
  if (!turn_.works()) {
    progress_.note(message("campaign.no_turns",
                           "{} cannot be used: builds and uploads of this campaign and the trials "
                           "of others on this machine do not wait for each other",
                           (os::turn_directory() / os::kTurnFile).string()));
  }
  if (may_move != std::exchange(may_move_, may_move)) {
    dispatch(TurnChanged{may_move}, now);
  }
}

// A file is read and digested once, whoever gets it.
void Session::start_upload(const StartUpload& upload, TimePoint now) {
  const Destination destination{upload.agent, upload.candidate};
  std::vector<BundledFile> files;
  if (const auto om = oms_.find(upload.candidate); om != oms_.end()) {
    if (const auto why = om_mismatch(om->second.filename().string(), fleet_.agents[upload.agent])) {
      if (!options_.allow_mismatch) {
        dispatch(UploadFailed{upload.agent, upload.candidate, *why}, now);
        return;
      }
      progress_.note(*why);
    }
    files = files_of_om(om->second);
    // The next build writes the weights that candidates share once more.
    if (files.size() > 1 && !builds_.empty()) {
      held_uploads_.push_back(upload);
      return;
    }
  }
  const auto& more = options_.agents[upload.agent].files;
  files.insert(files.end(), more.begin(), more.end());
  reader_.read(std::move(files), [this, destination](const auto& result) {
    if (const auto* failure = std::get_if<Message>(&result)) {
      finish_upload(destination, *failure, os::steady_now());
    } else {
      ship(destination, std::get<std::vector<ReadFile>>(result));
    }
  });
}

// It may have been given up while they were read.
void Session::ship(const Destination& destination, std::vector<ReadFile> files) {
  if (oms_.contains(destination.second) &&
      !is_same_om(destination, files.front(), os::steady_now())) {
    return;
  }
  if (fleet_.agents[destination.first].state == "given_up") {
    return;
  }
  Shipment& shipment = shipments_[destination];
  shipment = {std::move(files), 0};
  shipment.under_way = shipment.files.size();
  for (const ReadFile& file : shipment.files) {
    shipped_for_[++last_file_] = destination;
    agents_[destination.first].connection->upload(last_file_, file.source, os::steady_now());
  }
  if (shipment.files.empty()) {  // this agent needs none, others do
    finish_upload(destination, std::nullopt, os::steady_now());
  }
}

void Session::take_shipped(FileId file, const std::optional<Message>& failure, TimePoint now) {
  const auto found = shipped_for_.find(file);
  if (found == shipped_for_.end()) {
    return;
  }
  const Destination destination = found->second;
  shipped_for_.erase(found);
  if (failure || --shipments_.at(destination).under_way == 0) {
    finish_upload(destination, failure, now);
  }
}

void Session::finish_upload(const Destination& destination, const std::optional<Message>& failure,
                            TimePoint now) {
  const auto& [at, candidate] = destination;
  const Candidate& which = dispatcher_.candidates()[candidate];
  if (failure) {
    // Others of its files may still be under way: they are asked for anew.
    std::erase_if(shipped_for_, [&](const auto& entry) { return entry.second == destination; });
    dispatch(UploadFailed{at, candidate,
                          message("upload.failed", "the files of {} did not reach the agent: {}",
                                  name(which), *failure),
                          failure->id == "transfer.agent_silent" ||
                              failure->id == "transfer.sender_silent"},
             now);
    return;
  }
  AgentSide& agent = agents_[at];
  const std::uint64_t sent = agent.connection->bytes_sent() - agent.bytes_sent_before;
  agent.bytes_sent_before = agent.connection->bytes_sent();
  std::uint64_t size = 0;
  for (const ReadFile& file : shipments_.at(destination).files) {
    size += file.source->manifest->size;
  }
  progress_.uploaded(which, size, sent);
  dispatch(Uploaded{at, candidate}, now);
}

void Session::ask_stages(TimePoint now) {
  sort_results();
  const NextTrials next = stages_.next(result_.trials);
  write_looks();
  take_over_finished(next.trials);
  for (const Message& said : next.said) {
    progress_.decided(said);
  }
  progress_.planned(next.trials.size(), stages_.open_ended() && !next.trials.empty());
  dispatch(TrialsAdded{next.candidates, next.trials}, now);
}

}  // namespace mstune::coordinator
