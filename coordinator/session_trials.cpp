// The session's trials: assigned, recorded, collected, released; and what agents say of them.
#include <algorithm>
#include <utility>

#include "common/error.h"
#include "common/words.h"
#include "coordinator/documents.h"
#include "coordinator/session.h"
#include "protocol/causes.h"

namespace mstune::coordinator {
namespace {

// Between its two ends the output says in a line of its own what was left out.
constexpr std::uint64_t kOutputMarkBytes = 4096;

Trouble trouble_of(const protocol::Exited& exited) {
  if (exited.cause == protocol::kCauseDeviceBusy) {
    return Trouble::device_busy;
  }
  if (exited.cause == protocol::kCauseForeign) {
    return Trouble::disturbed;
  }
  return exited.cause == protocol::kCauseNotStarted ? Trouble::not_started : Trouble::none;
}

}  // namespace

protocol::TrialKey Session::key_of(const Attempt& attempt) const {
  return {campaign_id_, attempt.trial, attempt.number, agents_[attempt.agent].instance};
}

Session::ActiveTrial* Session::active(const protocol::TrialKey& key) {
  const auto found = active_.find(key.trial);
  return found != active_.end() && key == key_of(found->second.attempt) ? &found->second : nullptr;
}

void Session::forget(const Attempt& attempt) {
  const auto found = active_.find(attempt.trial);
  if (found != active_.end() && found->second.attempt == attempt) {
    active_.erase(found);
  }
}

// The first attempt after a resume goes on with what the killed coordinator had of it.
TrialRecorder Session::recorder_of(const Attempt& attempt) const {
  const Trial& trial = dispatcher_.trial(attempt.trial);
  const auto before = options_.unfinished.find(attempt.trial);
  const bool goes_on = before != options_.unfinished.end() &&
                       before->second.progress.attempt == attempt.number &&
                       before->second.directory == directory_name(trial);
  TrialRecorder recorder =
      goes_on ? TrialRecorder(directory_.trial_directory(trial), trial, before->second.progress)
              : TrialRecorder(directory_.trial_directory(trial), trial, attempt.number);
  recorder.limit_records(options_.records_max);
  return recorder;
}

void Session::assign(const AssignAttempt& action, TimePoint now) {
  const Attempt& attempt = action.attempt;
  const auto known = active_.find(attempt.trial);
  if (known != active_.end() && known->second.attempt == attempt) {
    assign_again(known->second, now);
    return;
  }
  note_devices();
  const Trial& trial = dispatcher_.trial(attempt.trial);
  active_.erase(attempt.trial);
  ActiveTrial& active =
      active_.emplace(attempt.trial, ActiveTrial{attempt, action.device, recorder_of(attempt), {}})
          .first->second;
  progress_.started(trial, join_words(options_.agents[attempt.agent].spec.command));
  send_assignment(active);
}

void Session::assign_again(ActiveTrial& active, TimePoint now) {
  send_assignment(active);
  if (active.collector) {
    active.collector->start_again();
    fetch_more(active, now);
  }
}

void Session::send_assignment(ActiveTrial& active) {
  const Attempt& attempt = active.attempt;
  const Candidate& candidate = active.recorder.trial().candidate;
  protocol::Assign request{key_of(attempt), options_.agents[attempt.agent].spec,
                           active.recorder.secure()};
  request.spec.devices = fleet_.devices[active.device].ids;
  if (!options_.mode_variable.empty()) {
    request.spec.environment[options_.mode_variable] = name(candidate);
  }
  const std::size_t place = place_of(dispatcher_.candidates(), candidate);
  if (const auto om = oms_.find(place); om != oms_.end()) {
    request.spec.om = om->second.filename().string();
  }
  if (const auto shipment = shipments_.find({attempt.agent, place}); shipment != shipments_.end()) {
    for (const ReadFile& file : shipment->second.files) {
      request.spec.files.push_back({file.name, {raw(file.source->manifest->identity)}});
    }
  }
  send(attempt.agent, request);
}

void Session::fetch_more(ActiveTrial& active, TimePoint now) {
  for (const protocol::Fetch& fetch :
       active.collector->take_requests(now, gentle_sharers(active.attempt.agent))) {
    send(active.attempt.agent, fetch);
  }
}

void Session::fetch_what_is_due(TimePoint now) {
  for (auto& [number, active] : active_) {
    if (active.collector && now >= active.collector->deadline()) {
      fetch_more(active, now);
    }
  }
}

// How many trials' files come from the agent's machine while another trial runs there; 0: none
// runs.
std::size_t Session::gentle_sharers(std::size_t agent) const {
  const std::string& machine = fleet_.agents[agent].boot_id;
  bool measures = false;
  std::size_t sharers = 0;
  for (const auto& [number, active] : active_) {
    const std::size_t other = active.attempt.agent;
    if (other == agent || (!machine.empty() && fleet_.agents[other].boot_id == machine)) {
      measures = measures || !active.recorder.exited();
      sharers += active.collector ? 1U : 0U;
    }
  }
  return measures ? sharers : 0;
}

void Session::note_left_out(const WantedFiles& wanted) {
  if (wanted.left_out_bytes > 0) {
    progress_.note(message("collect.left_out",
                           "{} bytes of plog were left out, the oldest (--plog-limit)",
                           wanted.left_out_bytes));
  }
  if (wanted.output_beyond_bytes > 0) {
    progress_.note(message("collect.output_beyond",
                           "{} of a trial's output were not fetched: the agent kept more than it "
                           "was asked to (--output-limit)",
                           size_text(wanted.output_beyond_bytes)));
  }
  for (const std::string& name : wanted.unbelievable) {
    progress_.note(message("collect.unbelievable",
                           "the agent says that {} has more than a TiB: it was not fetched", name));
  }
}

void Session::collect(const Attempt& attempt, TimePoint now) {
  ActiveTrial& active = active_.at(attempt.trial);
  const auto& exited = *active.recorder.exited();
  const bool failed =
      options_.plog == PlogChoice::failed && !active.recorder.is_valid(options_.gates);
  FileLimits limits{.plog_bytes = options_.plog_limit_bytes};
  if (const std::uint64_t asked = options_.agents[attempt.agent].spec.output_limit_bytes;
      asked > 0) {
    limits.output_bytes = asked + kOutputMarkBytes;
  }
  WantedFiles wanted = choose_files(exited.files, options_.plog, failed, limits);
  note_left_out(wanted);
  try {
    active.collector.emplace(active.recorder.directory(), key_of(attempt), std::move(wanted.files));
  } catch (const Error& error) {
    progress_.note(error.message());
    active.collector.emplace(active.recorder.directory(), key_of(attempt),
                             std::vector<WantedFile>{});
  }
  fetch_more(active, now);
  finish_trial(attempt.trial, now);
}

void Session::finish_trial(std::uint32_t number, TimePoint now) {
  ActiveTrial& active = active_.at(number);
  if (!active.collector->finished()) {
    return;
  }
  for (const Message& note : active.collector->notes()) {
    progress_.note(note);
  }
  active.recorder.note_fallbacks(active.collector->fallbacks());
  CauseContext context =
      context_of(options_.document ? *options_.document : CampaignDocument(), result_.trials);
  EvaluatedTrial trial =
      active.recorder.finish(options_.gates, options_.digest_pattern, std::move(context));
  progress_.recorded(trial, active.recorder.exited()->output_tail.value);
  if (const auto& cause = trial.evaluation.cause) {
    progress_.note(cause->sentence);
  }
  result_.trials.push_back(std::move(trial));
  dispatch(AttemptRecorded{Attempt(active.attempt)}, now);
}

// What it left is kept for whoever wants to know, apart from the trials.
void Session::discard_attempt(const DiscardAttempt& action) {
  progress_.note(action.why);
  std::optional<Trial> trial;
  if (const auto found = active_.find(action.attempt.trial);
      found != active_.end() && found->second.attempt == action.attempt) {
    trial = found->second.recorder.trial();
    active_.erase(found);
  }
  const auto recorded =
      std::find_if(result_.trials.begin(), result_.trials.end(), [&](const auto& result) {
        return result.trial.index == dispatcher_.trial(action.attempt.trial).index;
      });
  if (recorded != result_.trials.end()) {
    trial = recorded->trial;
    result_.trials.erase(recorded);
  }
  const auto left = options_.unfinished.find(action.attempt.trial);
  if (trial) {
    directory_.discard(*trial, action.attempt.number, action.why);
  } else if (left != options_.unfinished.end() &&
             left->second.progress.attempt == action.attempt.number) {
    directory_.move_apart(left->second.directory, dispatcher_.trial(action.attempt.trial),
                          action.attempt.number, action.why);
  }
}

void Session::record_void(const RecordVoid& action) {
  const Trial& trial = dispatcher_.trial(action.trial);
  EvaluatedTrial unrun{trial, 1, {}, {}, {}};
  unrun.outcome.reasons.push_back({action.code, action.why});
  unrun.evaluation = evaluate_unrun(unrun.outcome);
  os::make_directory(directory_.trial_directory(trial));
  os::write_file_atomically(directory_.trial_directory(trial) / "trial.json", trial_json(unrun));
  progress_.recorded(unrun, {});
  result_.trials.push_back(std::move(unrun));
}

// ---- what agents say ----

void Session::take(std::size_t agent, const ConnectionEvent& event, TimePoint now) {
  if (const auto* ready = std::get_if<LinkReady>(&event)) {
    take_welcome(agent, ready->welcome, now);
  } else if (std::holds_alternative<LinkGone>(event)) {
    if (std::string& state = fleet_.agents[agent].state; state != "given_up") {
      state = "gone";
    }
    dispatch(AgentGone{agent}, now);
  } else if (const auto* refused = std::get_if<LinkRefused>(&event)) {
    dispatch(AgentRefused{agent, refused->why}, now);
  } else if (const auto* unreachable = std::get_if<LinkUnreachable>(&event)) {
    dispatch(AgentUnreachable{agent, unreachable->why}, now);
  } else if (const auto* uploaded = std::get_if<FileUploaded>(&event)) {
    take_shipped(uploaded->file, std::nullopt, now);
  } else if (const auto* failed = std::get_if<FileNotUploaded>(&event)) {
    take_shipped(failed->file, failed->why, now);
  } else {
    const auto& arrived = std::get<ReportArrived>(event);
    take(agent, arrived.report, arrived.payload, now);
  }
}

void Session::take(std::size_t agent, const protocol::Report& report, const std::string& payload,
                   TimePoint now) {
  if (const auto* events = std::get_if<protocol::Events>(&report)) {
    take_events(*events, now);
  } else if (const auto* status = std::get_if<protocol::Status>(&report)) {
    take_status(agent, *status, now);
  } else if (const auto* data = std::get_if<protocol::FileData>(&report)) {
    ActiveTrial* trial = active(data->key);
    if (trial != nullptr && trial->collector && trial->collector->take(*data, payload)) {
      fetch_more(*trial, now);
      finish_trial(data->key.trial, now);
    }
  } else if (const auto* pass = std::get_if<protocol::PassManaged>(&report)) {
    take_lost_lease(agent, pass->failure);
  } else if (const auto* failure = std::get_if<protocol::Failure>(&report)) {
    const Message why = message("campaign.agent_says", "the agent refused a request ({}): {}",
                                failure->request, failure->what);
    if (failure->what.id == "agent.no_session") {
      return;  // a message overtook the greeting of a new connection: the link says hello again
    }
    if (failure->what.id == "agent.too_many_waiting") {
      return;  // what was not seen there is assigned again
    }
    if (failure->request == "assign") {
      dispatch(AgentRefused{agent, why}, now);  // it would refuse the next one for the same reason
    } else {
      progress_.note(why);
    }
  }
}

void Session::take_events(const protocol::Events& events, TimePoint now) {
  ActiveTrial* trial = active(events.key);
  if (trial == nullptr) {
    return;
  }
  TrialRecorder& recorder = trial->recorder;
  if (!recorder.take(events)) {
    assign_again(*trial, now);  // some are missing: ask from where we are
    return;
  }
  progress_.grown(recorder.trial(), recorder.records());
  // Not each batch: the agent's window is wide, and every message wakes the measuring machine.
  constexpr std::uint64_t kAcknowledgeEvery = 512;
  if (recorder.exited() || recorder.events() >= trial->acknowledged + kAcknowledgeEvery) {
    trial->acknowledged = recorder.events();
    send(trial->attempt.agent, protocol::Acknowledge{events.key, recorder.secure()});
  }
  for (const Message& notice : recorder.take_notices()) {
    progress_.note(notice);
  }
  end_if_flooded(*trial);
  if (recorder.exited() && !trial->exit_told) {
    trial->exit_told = true;
    const protocol::Exited& exited = *recorder.exited();
    dispatch(AttemptExited{trial->attempt, exited.cause != protocol::kCauseLost, trouble_of(exited),
                           exited.detail},
             now);
  }
}

void Session::take_status(std::size_t agent, const protocol::Status& status, TimePoint now) {
  const protocol::TrialKey& key = status.key;
  const bool lost = status.state == protocol::TrialState::lost;
  ActiveTrial* trial = active(key);
  if (trial == nullptr) {
    if (key.campaign == campaign_id_ && key.instance == agents_[agent].instance && !lost) {
      dispatch(StrayReported{{agent, key.trial, key.attempt},
                             status.state == protocol::TrialState::finished},
               now);
    }
    return;
  }
  const Attempt attempt = trial->attempt;
  if (lost) {
    dispatch(AttemptLost{attempt}, now);
    return;
  }
  if (status.waits_for == protocol::WaitsFor::quiet_machine) {
    progress_.note(
        message("campaign.machine_moves",
                "{}: another campaign builds or sends there, or is about to; waiting for it",
                options_.agents[agent].name));
  } else if (!status.held_by.empty()) {
    progress_.note(message("campaign.waits_for_device",
                           "the agent's devices are taken: waiting for {}", status.held_by));
  }
  const std::uint64_t answers = trial->collector ? trial->collector->answers() : 0;
  const ActiveTrial::Seen seen{status.state, status.events + answers};
  const bool has_changed = seen != std::exchange(trial->seen, seen);
  dispatch(AttemptSeen{attempt, status.state == protocol::TrialState::queued, has_changed}, now);
  trial = active(key);
  if (trial != nullptr) {
    trial->cancel_sent = false;  // it runs on: what was sent may be lost
    end_if_flooded(*trial);
    ask_again_if_stalled(*trial, status, now);
  }
}

void Session::end_if_flooded(ActiveTrial& active) {
  if (active.recorder.is_flooded() && !active.recorder.exited() && !active.cancel_sent) {
    active.cancel_sent = true;
    send(active.attempt.agent, protocol::Cancel{key_of(active.attempt), "too many records"});
  }
}

// What was sent and did not arrive is asked for again: when nothing at all came between two
// statuses, since a status overtakes nothing.
void Session::ask_again_if_stalled(ActiveTrial& active, const protocol::Status& status,
                                   TimePoint now) {
  const std::uint64_t progress =
      active.recorder.events() + (active.collector ? active.collector->answers() : 0);
  const bool waits = active.collector || status.events > active.recorder.events();
  const bool stalled = waits && progress == active.progress_at_status;
  active.progress_at_status = progress;
  if (stalled) {
    assign_again(active, now);
  }
}

}  // namespace mstune::coordinator
