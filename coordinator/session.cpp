#include "coordinator/session.h"

#include <algorithm>
#include <csignal>
#include <iterator>
#include <utility>

#include "common/digest.h"
#include "common/error.h"
#include "common/os/process_tree.h"
#include "common/words.h"

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

}  // namespace

Session::Session(SessionOptions options, Stages& stages, const RunDirectory& directory,
                 Progress& progress)
    : options_(std::move(options)),
      stages_(stages),
      directory_(directory),
      progress_(progress),
      campaign_id_(options_.session_id),
      dispatcher_(options_.campaign, steady_now()),
      reader_(worker_),
      connection_(options_.endpoint, options_.security, campaign_id_,
                  upload_options(options_.upload_timeout), worker_, steady_now()) {
  connection_.keep_files(options_.keep_files);
}

Session::~Session() = default;

SessionResult Session::run() {
  os::become_subreaper();  // what a build leaves behind comes to us and is ended
  progress_.tick(steady_now());
  progress_.planned(options_.campaign.trials.size(), options_.campaign.open_ended);
  take_over_finished(options_.campaign.trials);
  try {
    go_on();
  } catch (const Error&) {
    connection_.send(protocol::Goodbye{});  // or the agent would wait for us
    throw;
  }
  connection_.send(protocol::Goodbye{});
  std::sort(result_.trials.begin(), result_.trials.end(),
            [](const EvaluatedTrial& left, const EvaluatedTrial& right) {
              return left.trial.index < right.trial.index;
            });
  return std::move(result_);
}

void Session::go_on() {
  dispatch(Tick{}, steady_now());
  while (!dispatcher_.finished() && !left_at_once_) {
    os::PollSet polled;
    wait(polled, steady_now());
    const TimePoint now = steady_now();
    progress_.tick(now);
    if (polled.readable(signals_.descriptor())) {
      look_at_signals(now);
    }
    step_builds(now);
    worker_.drain();
    step_connection(now);
    if (now >= dispatcher_.deadline()) {
      dispatch(Tick{}, now);
    }
  }
}

// Those of an earlier session count where they are the trials that are planned now.
void Session::take_over_finished(const std::vector<Trial>& planned) {
  for (const Trial& trial : planned) {
    const auto found =
        std::find_if(options_.finished.begin(), options_.finished.end(),
                     [&](const EvaluatedTrial& other) { return other.trial.index == trial.index; });
    if (found != options_.finished.end()) {
      progress_.known(*found);
      result_.trials.push_back(*found);
    }
  }
}

// ---- waiting ----

TimePoint Session::deadline() const {
  TimePoint earliest =
      std::min({dispatcher_.deadline(), connection_.deadline(), progress_.deadline()});
  for (const ActiveBuild& active : builds_) {
    earliest = std::min(earliest, active.build.deadline());
  }
  return earliest;
}

void Session::wait(os::PollSet& polled, TimePoint now) {
  polled.add(connection_.socket());
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
      left_at_once_ = true;
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

void Session::step_connection(TimePoint now) {
  for (const ConnectionEvent& event : connection_.step(now)) {
    take(event, now);
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
    start_upload(upload->candidate);
  } else if (const auto* assignment = std::get_if<AssignAttempt>(&action)) {
    assign(assignment->attempt);
  } else if (std::holds_alternative<CollectAttempt>(action)) {
    collect(*active_, now);
  } else if (const auto* release = std::get_if<ReleaseAttempt>(&action)) {
    connection_.send(protocol::Release{key_of(release->attempt)});
    if (active_ && active_->attempt == release->attempt) {
      active_.reset();
    }
  } else if (const auto* cancel = std::get_if<CancelAttempt>(&action)) {
    connection_.send(protocol::Cancel{key_of(cancel->attempt), "interrupted"});
  } else if (const auto* discard = std::get_if<DiscardAttempt>(&action)) {
    discard_attempt(*discard);
  } else if (const auto* unrun = std::get_if<RecordVoid>(&action)) {
    record_void(*unrun);
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

// An OM that an earlier session built is not built again.
bool Session::take_over_om(std::size_t candidate, TimePoint now) {
  const auto built = options_.oms.find(name(options_.campaign.candidates[candidate]));
  if (built == options_.oms.end() || !fs::is_regular_file(built->second.path)) {
    return false;
  }
  oms_[candidate] = built->second.path;
  dispatch(Built{candidate}, now);
  return true;
}

// Trials before and after a resume measure the same OM, or they could not be compared.
bool Session::is_same_om(std::size_t candidate, const ReadFile& file, TimePoint now) {
  const std::string which = name(options_.campaign.candidates[candidate]);
  const BuiltOm om{hex(file.source->manifest->identity), oms_.at(candidate).string()};
  const auto before = options_.oms.find(which);
  if (before == options_.oms.end()) {
    directory_.note_om(which, om);
    return true;
  }
  if (before->second.identity == om.identity) {
    return true;
  }
  dispatch(UploadFailed{0, candidate,
                        message("resume.other_om",
                                "the OM of {} ({}) is not the one that this run was begun with: "
                                "put that one back, or start a new run without --resume",
                                which, om.path)},
           now);
  return false;
}

void Session::start_build(std::size_t candidate, TimePoint now) {
  if (take_over_om(candidate, now)) {
    return;
  }
  BuildRequest request = options_.build;
  request.candidate = options_.campaign.candidates[candidate];
  if (request.command.empty()) {  // there is only the target's files to send
    dispatch(Built{candidate}, now);
    return;
  }
  if (const auto found = options_.built.find(request.candidate); found != options_.built.end()) {
    oms_[candidate] = found->second;
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
      dispatch(BuildFailed{candidate, *why}, now);
      continue;
    }
    oms_[candidate] = std::get<fs::path>(*outcome);
    progress_.built(options_.campaign.candidates[candidate], seconds, oms_[candidate].string());
    dispatch(Built{candidate}, now);
  }
}

void Session::start_upload(std::size_t candidate) {
  std::vector<BundledFile> files;
  if (const auto om = oms_.find(candidate); om != oms_.end()) {
    files = files_of_om(om->second);
  }
  files.insert(files.end(), options_.files.begin(), options_.files.end());
  reader_.read(std::move(files), [this, candidate](const auto& result) {
    if (const auto* failure = std::get_if<Message>(&result)) {
      finish_upload(candidate, *failure, steady_now());
    } else {
      ship(candidate, std::get<std::vector<ReadFile>>(result));
    }
  });
}

void Session::ship(std::size_t candidate, std::vector<ReadFile> files) {
  if (oms_.contains(candidate) && !is_same_om(candidate, files.front(), steady_now())) {
    return;
  }
  Shipment& shipment = shipments_[candidate];
  shipment = {std::move(files), 0};
  shipment.under_way = shipment.files.size();
  for (const ReadFile& file : shipment.files) {
    shipped_for_[++last_file_] = candidate;
    connection_.upload(last_file_, file.source, steady_now());
  }
}

void Session::take_shipped(FileId file, const std::optional<Message>& failure, TimePoint now) {
  const auto found = shipped_for_.find(file);
  if (found == shipped_for_.end()) {
    return;
  }
  const std::size_t candidate = found->second;
  shipped_for_.erase(found);
  if (failure || --shipments_.at(candidate).under_way == 0) {
    finish_upload(candidate, failure, now);
  }
}

void Session::finish_upload(std::size_t candidate, const std::optional<Message>& failure,
                            TimePoint now) {
  const Candidate& which = options_.campaign.candidates[candidate];
  if (failure) {
    dispatch(UploadFailed{0, candidate,
                          message("upload.failed", "the files of {} did not reach the agent: {}",
                                  name(which), *failure)},
             now);
    return;
  }
  const std::uint64_t sent = connection_.bytes_sent() - bytes_sent_before_;
  bytes_sent_before_ = connection_.bytes_sent();
  std::uint64_t size = 0;
  for (const ReadFile& file : shipments_.at(candidate).files) {
    size += file.source->manifest->size;
  }
  progress_.uploaded(which, size, sent);
  dispatch(Uploaded{0, candidate}, now);
}

// ---- trials ----

protocol::TrialKey Session::key_of(const Attempt& attempt) const {
  return {campaign_id_, attempt.trial, attempt.number, instance_};
}

bool Session::is_active(const protocol::TrialKey& key) const {
  return active_ && key == key_of(active_->attempt);
}

// The first attempt after a resume goes on with what the killed coordinator had of it.
TrialRecorder Session::recorder_of(const Attempt& attempt) const {
  const Trial& trial = options_.campaign.trials[attempt.trial];
  const auto before = options_.unfinished.find(attempt.trial);
  TrialRecorder recorder =
      before != options_.unfinished.end() && before->second.attempt == attempt.number
          ? TrialRecorder(directory_.trial_directory(trial), trial, before->second)
          : TrialRecorder(directory_.trial_directory(trial), trial, attempt.number);
  recorder.limit_records(options_.records_max);
  return recorder;
}

void Session::assign(const Attempt& attempt) {
  const Trial& trial = options_.campaign.trials[attempt.trial];
  if (!active_ || !(active_->attempt == attempt)) {
    active_.emplace(ActiveTrial{attempt, recorder_of(attempt), {}});
    progress_.started(trial, join_words(options_.spec.command));
  }
  protocol::Assign request{key_of(attempt), options_.spec, active_->recorder.secure()};
  if (!options_.mode_variable.empty()) {
    request.spec.environment[options_.mode_variable] = name(trial.candidate);
  }
  const auto candidate =
      static_cast<std::size_t>(std::find(options_.campaign.candidates.begin(),
                                         options_.campaign.candidates.end(), trial.candidate) -
                               options_.campaign.candidates.begin());
  if (const auto om = oms_.find(candidate); om != oms_.end()) {
    request.spec.om = om->second.filename().string();
  }
  if (const auto shipment = shipments_.find(candidate); shipment != shipments_.end()) {
    for (const ReadFile& file : shipment->second.files) {
      request.spec.files.push_back({file.name, {raw(file.source->manifest->identity)}});
    }
  }
  connection_.send(request);
  if (active_->collector) {
    active_->collector->start_again();
    for (const protocol::Fetch& fetch : active_->collector->take_requests()) {
      connection_.send(fetch);
    }
  }
}

void Session::collect(ActiveTrial& active, TimePoint now) {
  const auto& exited = *active.recorder.exited();
  const bool failed =
      options_.plog == PlogChoice::failed && !active.recorder.is_valid(options_.gates);
  WantedFiles wanted = choose_files(exited.files, options_.plog, failed, options_.plog_limit_bytes);
  if (wanted.left_out_bytes > 0) {
    progress_.note(message("collect.left_out",
                           "{} bytes of plog were left out, the oldest (--plog-limit)",
                           wanted.left_out_bytes));
  }
  try {
    active.collector.emplace(active.recorder.directory(), key_of(active.attempt),
                             std::move(wanted.files));
  } catch (const Error& error) {
    progress_.note(error.message());
    active.collector.emplace(active.recorder.directory(), key_of(active.attempt),
                             std::vector<WantedFile>{});
  }
  for (const protocol::Fetch& fetch : active.collector->take_requests()) {
    connection_.send(fetch);
  }
  finish_trial(now);
}

void Session::finish_trial(TimePoint now) {
  if (!active_->collector->finished()) {
    return;
  }
  for (const Message& note : active_->collector->notes()) {
    progress_.note(note);
  }
  EvaluatedTrial trial = active_->recorder.finish(options_.gates, options_.digest_pattern);
  progress_.recorded(trial, active_->recorder.exited()->output_tail);
  result_.trials.push_back(std::move(trial));
  dispatch(AttemptRecorded{active_->attempt}, now);
}

void Session::ask_stages(TimePoint now) {
  const NextTrials next = stages_.next(result_.trials);
  take_over_finished(next.trials);
  for (const Message& said : next.said) {
    progress_.decided(said);
  }
  CampaignSettings& campaign = options_.campaign;
  progress_.planned(next.trials.size(), stages_.open_ended() && !next.trials.empty());
  campaign.candidates.insert(campaign.candidates.end(), next.candidates.begin(),
                             next.candidates.end());
  campaign.trials.insert(campaign.trials.end(), next.trials.begin(), next.trials.end());
  dispatch(TrialsAdded{next.candidates, next.trials}, now);
}

// What it left is kept for whoever wants to know, apart from the trials.
void Session::discard_attempt(const DiscardAttempt& action) {
  progress_.note(action.why);
  if (active_ && active_->attempt == action.attempt) {
    active_.reset();
  }
  directory_.discard(options_.campaign.trials[action.attempt.trial], action.attempt.number,
                     action.why);
}

void Session::record_void(const RecordVoid& action) {
  const Trial& trial = options_.campaign.trials[action.trial];
  EvaluatedTrial unrun{trial, 1, {}, {}, {}};
  unrun.outcome.reasons.push_back({action.code, action.why});
  unrun.evaluation = evaluate_unrun(unrun.outcome);
  os::make_directory(directory_.trial_directory(trial));
  os::write_file_atomically(directory_.trial_directory(trial) / "trial.json", trial_json(unrun));
  progress_.recorded(unrun, {});
  result_.trials.push_back(std::move(unrun));
}

// ---- what the agent says ----

void Session::take(const ConnectionEvent& event, TimePoint now) {
  if (const auto* ready = std::get_if<LinkReady>(&event)) {
    take_welcome(ready->welcome, now);
  } else if (std::holds_alternative<LinkGone>(event)) {
    dispatch(AgentGone{0}, now);
  } else if (const auto* refused = std::get_if<LinkRefused>(&event)) {
    dispatch(AgentRefused{0, refused->why}, now);
  } else if (const auto* uploaded = std::get_if<FileUploaded>(&event)) {
    take_shipped(uploaded->file, std::nullopt, now);
  } else if (const auto* failed = std::get_if<FileNotUploaded>(&event)) {
    take_shipped(failed->file, failed->why, now);
  } else {
    const auto& arrived = std::get<ReportArrived>(event);
    take(arrived.report, arrived.payload, now);
  }
}

void Session::take_welcome(const protocol::Welcome& welcome, TimePoint now) {
  for (const Message& notice : welcome.notices) {
    progress_.note(notice);
  }
  instance_ = welcome.instance;
  result_.versions = {
      {"agent", welcome.software}, {"host", welcome.host}, {"architecture", welcome.architecture}};
  dispatch(AgentReady{0, welcome.instance}, now);
}

void Session::take(const protocol::Report& report, const std::string& payload, TimePoint now) {
  if (const auto* events = std::get_if<protocol::Events>(&report)) {
    take_events(*events, now);
  } else if (const auto* status = std::get_if<protocol::Status>(&report)) {
    take_status(*status, now);
  } else if (const auto* data = std::get_if<protocol::FileData>(&report)) {
    if (is_active(data->key) && active_->collector && active_->collector->take(*data, payload)) {
      for (const protocol::Fetch& fetch : active_->collector->take_requests()) {
        connection_.send(fetch);
      }
      finish_trial(now);
    }
  } else if (const auto* failure = std::get_if<protocol::Failure>(&report)) {
    const Message why = message("campaign.agent_says", "the agent refused a request ({}): {}",
                                failure->request, failure->what);
    if (failure->request == "assign") {
      dispatch(AgentRefused{0, why}, now);  // it would refuse the next one for the same reason
    } else if (failure->what.id != "agent.no_session") {
      progress_.note(why);
    }
  }
}

void Session::take_events(const protocol::Events& events, TimePoint now) {
  if (!is_active(events.key)) {
    return;
  }
  TrialRecorder& recorder = active_->recorder;
  if (!recorder.take(events)) {
    assign(active_->attempt);  // some are missing: ask from where we are
    return;
  }
  progress_.grown(recorder.trial(), recorder.records());
  // Not each batch: the agent's window is wide, and every message wakes the measuring machine.
  constexpr std::uint64_t kAcknowledgeEvery = 512;
  if (recorder.exited() || recorder.events() >= active_->acknowledged + kAcknowledgeEvery) {
    active_->acknowledged = recorder.events();
    connection_.send(protocol::Acknowledge{events.key, recorder.secure()});
  }
  for (const Message& notice : recorder.take_notices()) {
    progress_.note(notice);
  }
  end_if_flooded();
  if (recorder.exited() && !active_->exit_told) {
    active_->exit_told = true;
    dispatch(AttemptExited{active_->attempt, recorder.exited()->cause != protocol::kCauseLost},
             now);
  }
}

void Session::take_status(const protocol::Status& status, TimePoint now) {
  const protocol::TrialKey& key = status.key;
  if (!is_active(key)) {
    if (key.campaign == campaign_id_ && key.instance == instance_ &&
        status.state != protocol::kStateLost) {
      dispatch(StrayReported{{0, key.trial, key.attempt}, status.state == protocol::kStateFinished},
               now);
    }
    return;
  }
  const Attempt attempt = active_->attempt;
  if (status.state == protocol::kStateLost) {
    dispatch(AttemptLost{attempt}, now);
    return;
  }
  if (!status.held_by.empty()) {
    progress_.note(message("campaign.waits_for_device",
                           "the agent's devices are taken: waiting for {}", status.held_by));
  }
  dispatch(AttemptSeen{attempt}, now);
  if (is_active(key)) {
    active_->cancel_sent = false;  // it runs on: what was sent may be lost
    end_if_flooded();
    ask_again_if_stalled(status);
  }
}

void Session::end_if_flooded() {
  ActiveTrial& active = *active_;
  if (active.recorder.is_flooded() && !active.recorder.exited() && !active.cancel_sent) {
    active.cancel_sent = true;
    connection_.send(protocol::Cancel{key_of(active.attempt), "too many records"});
  }
}

// What was sent and did not arrive is asked for again: when nothing at all came between two
// statuses, since a status overtakes nothing.
void Session::ask_again_if_stalled(const protocol::Status& status) {
  ActiveTrial& active = *active_;
  const std::uint64_t progress =
      active.recorder.events() + (active.collector ? active.collector->answers() : 0);
  const bool waits = active.collector || status.events > active.recorder.events();
  const bool stalled = waits && progress == active.progress_at_status;
  active.progress_at_status = progress;
  if (stalled) {
    assign(active.attempt);
  }
}

}  // namespace mstune::coordinator
