// The loop, builds and uploads; trials and what agents say of them are session_trials.cpp's, the
// fleet is session_fleet.cpp's.
#include "coordinator/session.h"

#include <algorithm>
#include <csignal>
#include <iterator>
#include <utility>

#include "common/error.h"
#include "common/os/limits.h"
#include "common/os/process_tree.h"

namespace mstune::coordinator {
namespace {

namespace fs = std::filesystem;

TimePoint steady_now() {
  return std::chrono::steady_clock::now();
}

upload::Options upload_options(Duration timeout) {
  upload::Options options;
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
      dispatcher_(campaign_settings(options_), steady_now()),
      descriptors_max_(os::raise_descriptor_limit()) {
  fleet_.spread = options_.campaign.spread;
  for (const AgentOptions& agent : options_.agents) {
    AgentRecord record;
    record.target = agent.name;
    fleet_.agents.push_back(std::move(record));
    agents_.emplace_back();
    agents_.back().connection = std::make_unique<Connection>(
        agent.endpoint, campaign_id_, agent.spec.cann_env, upload_options(options_.upload_timeout),
        worker_, steady_now());
  }
}

Session::~Session() = default;

SessionResult Session::run() {
  os::become_subreaper();  // what a build leaves behind comes to us and is ended
  take_over_finished(options_.campaign.trials);
  dispatch(Tick{}, steady_now());
  while (!dispatcher_.finished()) {
    os::PollSet polled;
    wait(polled, steady_now());
    const TimePoint now = steady_now();
    if (polled.readable(signals_.descriptor())) {
      look_at_signals(now);
    }
    step_builds(now);
    worker_.drain();
    step_agents(polled, now);
    if (now >= dispatcher_.deadline()) {
      dispatch(Tick{}, now);
    }
  }
  for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
    send(agent, protocol::Goodbye{});
  }
  std::sort(result_.trials.begin(), result_.trials.end(),
            [](const EvaluatedTrial& left, const EvaluatedTrial& right) {
              return left.trial.index < right.trial.index;
            });
  if (dispatcher_.has_fleet()) {
    result_.fleet = fleet_;
  }
  return std::move(result_);
}

void Session::send(std::size_t agent, const protocol::Request& request) {
  agents_[agent].connection->send(request);
}

// Those of an earlier session count where they are the trials that are planned now.
void Session::take_over_finished(const std::vector<Trial>& planned) {
  for (const Trial& trial : planned) {
    const auto found =
        std::find_if(options_.finished.begin(), options_.finished.end(),
                     [&](const EvaluatedTrial& other) { return other.trial.index == trial.index; });
    if (found != options_.finished.end()) {
      result_.trials.push_back(*found);
    }
  }
}

// ---- waiting ----

TimePoint Session::deadline() const {
  TimePoint earliest = dispatcher_.deadline();
  for (const AgentSide& agent : agents_) {
    earliest = std::min(earliest, agent.connection->deadline());
  }
  for (const ActiveBuild& active : builds_) {
    earliest = std::min(earliest, active.build.deadline());
  }
  return earliest;
}

void Session::wait(os::PollSet& polled, TimePoint now) {
  for (const AgentSide& agent : agents_) {
    polled.add(agent.connection->socket());
  }
  polled.add(signals_.descriptor());
  polled.add(worker_.descriptor());
  for (const ActiveBuild& active : builds_) {
    polled.add(active.build.descriptor());
  }
  const TimePoint until = deadline();
  polled.wait(until == kNever ? Duration(std::chrono::hours(1)) : until - now);
}

void Session::look_at_signals(TimePoint now) {
  while (const auto signal = signals_.next()) {
    if (*signal == SIGCHLD) {
      os::reap_orphans();
    } else if (interrupted_) {
      result_.ending = Ending::interrupted;
      throw environment_error("campaign.left_at_once",
                              "interrupted twice: left at once, what was measured is in {}",
                              directory_.path().string());
    } else {
      interrupted_ = true;
      progress_.note(message("campaign.interrupting",
                             "interrupted: ending what runs (once more to leave at once)"));
      dispatch(InterruptAsked{}, now);
    }
  }
}

// Only those that have something to say or to do: asking a silent socket costs system calls.
void Session::step_agents(const os::PollSet& polled, TimePoint now) {
  for (std::size_t at = 0; at < agents_.size(); ++at) {
    Connection& connection = *agents_[at].connection;
    if (connection.is_due() || now >= connection.deadline() ||
        polled.readable(connection.socket())) {
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
    assign(*assignment);
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
    give_up(*agent);
  } else if (std::holds_alternative<NeedMore>(action)) {
    ask_stages(now);
  } else if (const auto* tell = std::get_if<Tell>(&action)) {
    progress_.note(tell->what);
  } else if (const auto* finish = std::get_if<Finish>(&action)) {
    result_.ending = finish->ending;
    result_.why = finish->why;
  }
}

// ---- builds and uploads ----

void Session::start_build(std::size_t candidate, TimePoint now) {
  BuildRequest request = options_.build;
  request.candidate = dispatcher_.candidates()[candidate];
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
      dispatch(BuildFailed{candidate, *why}, now);
      continue;
    }
    oms_[candidate] = std::get<fs::path>(*outcome);
    progress_.built(dispatcher_.candidates()[candidate], seconds, oms_[candidate].string());
    dispatch(Built{candidate}, now);
  }
}

// An OM is digested once, whoever gets it.
void Session::start_upload(const StartUpload& upload, TimePoint now) {
  const AgentRecord& agent = fleet_.agents[upload.agent];
  if (const auto why = om_mismatch(oms_.at(upload.candidate).filename().string(), agent)) {
    if (!options_.allow_mismatch) {
      dispatch(UploadFailed{upload.agent, upload.candidate, *why}, now);
      return;
    }
    progress_.note(*why);
  }
  if (const auto source = sources_.find(upload.candidate); source != sources_.end()) {
    agents_[upload.agent].connection->upload(upload.candidate, source->second, now);
    return;
  }
  const bool under_way =
      std::any_of(waiting_uploads_.begin(), waiting_uploads_.end(),
                  [&](const StartUpload& other) { return other.candidate == upload.candidate; });
  waiting_uploads_.push_back(upload);
  if (!under_way) {
    digest(upload.candidate);
  }
}

// On the worker; then hands the OM to the connections that wait for it.
void Session::digest(std::size_t candidate) {
  const auto finish = [this, candidate](const std::optional<Message>& failure) {
    const auto of_candidate = std::stable_partition(
        waiting_uploads_.begin(), waiting_uploads_.end(),
        [&](const StartUpload& upload) { return upload.candidate != candidate; });
    const std::vector<StartUpload> uploads(of_candidate, waiting_uploads_.end());
    waiting_uploads_.erase(of_candidate, waiting_uploads_.end());
    for (const StartUpload& upload : uploads) {
      if (failure) {
        finish_upload(upload, failure, steady_now());
      } else {
        agents_[upload.agent].connection->upload(candidate, sources_.at(candidate), steady_now());
      }
    }
  };
  const fs::path path = oms_.at(candidate);
  // Candidates of one model are nearly equal: what equals the one before needs no digest.
  const auto sibling = sources_.empty() ? nullptr : std::prev(sources_.end())->second;
  const bool taken = worker_.submit(
      [this, candidate, path, sibling, finish]() -> os::Worker::Result {
        auto source = std::make_shared<UploadSource>();
        source->file = os::open_source(path);
        source->manifest = std::make_shared<const Manifest>(os::compute_manifest(
            source->file, std::stop_token(),
            sibling ? os::Sibling{&sibling->file, sibling->manifest.get()} : os::Sibling{}));
        return [this, candidate, source, finish] {
          sources_[candidate] = source;
          finish(std::nullopt);
        };
      },
      [finish](const Error& error) { finish(error.message()); });
  if (!taken) {
    finish(message("upload.too_busy", "too much waits to be read"));
  }
}

void Session::finish_upload(const StartUpload& upload, const std::optional<Message>& failure,
                            TimePoint now) {
  const Candidate& which = dispatcher_.candidates()[upload.candidate];
  if (failure) {
    dispatch(UploadFailed{upload.agent, upload.candidate,
                          message("upload.failed", "the OM of {} did not reach the agent: {}",
                                  name(which), failure->text)},
             now);
    return;
  }
  AgentSide& agent = agents_[upload.agent];
  const std::uint64_t sent = agent.connection->bytes_sent() - agent.bytes_sent_before;
  agent.bytes_sent_before = agent.connection->bytes_sent();
  progress_.uploaded(which, sources_.at(upload.candidate)->manifest->size, sent);
  dispatch(Uploaded{upload.agent, upload.candidate}, now);
}

void Session::ask_stages(TimePoint now) {
  const NextTrials next = stages_.next(result_.trials);
  take_over_finished(next.trials);
  for (const Message& said : next.said) {
    progress_.decided(said);
  }
  dispatch(TrialsAdded{next.candidates, next.trials}, now);
}

}  // namespace mstune::coordinator
