// The coordinator's side of the simulated campaign: what coordinator/session.cpp does on its disk.
#include <utility>

#include <fmt/format.h>

#include "tests/sim/campaign_world.h"

namespace mstune {

using coordinator::Attempt;

protocol::TrialKey CampaignWorld::key_of(const Attempt& attempt) const {
  return {"campaign", attempt.trial, attempt.number, instance_};
}

bool CampaignWorld::is_active(const protocol::TrialKey& key) const {
  return active_ && key == key_of(active_->attempt);
}

void CampaignWorld::dispatch(const coordinator::CampaignEvent& event) {
  for (const coordinator::CampaignAction& action : dispatcher_.handle(event, now_)) {
    carry_out(action);
  }
}

void CampaignWorld::carry_out(const std::vector<coordinator::LinkAction>& actions) {
  for (const coordinator::LinkAction& action : actions) {
    if (const auto* request = std::get_if<coordinator::SendRequest>(&action)) {
      to_agent(request->request);
    } else if (const auto* ready = std::get_if<coordinator::LinkReady>(&action)) {
      instance_ = ready->welcome.instance;
      dispatch(coordinator::AgentReady{0, instance_});
    } else if (std::holds_alternative<coordinator::LinkGone>(action)) {
      note("agent gone");
      dispatch(coordinator::AgentGone{0});
    }
  }
}

void CampaignWorld::carry_out(const coordinator::CampaignAction& action) {
  using namespace coordinator;  // NOLINT(google-build-using-namespace): the names of one variant
  if (const auto* build = std::get_if<StartBuild>(&action)) {
    queue_.emplace(now_ + between(10, 60'000), [this, which = build->candidate] {
      if (which > 0 && chance(100)) {
        dispatch(BuildFailed{which, message("test.build", "")});
      } else {
        dispatch(Built{which});
      }
    });
  } else if (const auto* upload = std::get_if<StartUpload>(&action)) {
    queue_.emplace(now_ + between(10, 20'000), [this, which = upload->candidate] {
      dispatch(Uploaded{0, which});
    });
  } else if (const auto* assignment = std::get_if<AssignAttempt>(&action)) {
    assign(assignment->attempt);
  } else if (std::holds_alternative<CollectAttempt>(action)) {
    active_->collecting = true;
    fetch();
  } else if (const auto* release = std::get_if<ReleaseAttempt>(&action)) {
    to_agent(protocol::Release{key_of(release->attempt)});
    if (active_ && active_->attempt == release->attempt) {
      active_.reset();
    }
  } else if (const auto* cancel = std::get_if<CancelAttempt>(&action)) {
    to_agent(protocol::Cancel{key_of(cancel->attempt), "interrupted"});
  } else if (const auto* discard = std::get_if<DiscardAttempt>(&action)) {
    note(fmt::format("discard {} {}", discard->attempt.trial, discard->attempt.number));
    if (active_ && active_->attempt == discard->attempt) {
      active_.reset();
    }
  } else if (const auto* unrun = std::get_if<RecordVoid>(&action)) {
    note(fmt::format("void {} {}", unrun->trial, unrun->code));
    if (!report_.voids.emplace(unrun->trial, unrun->code).second) {
      report_.wrong.emplace_back("a trial was voided twice");
    }
  } else if (const auto* finish = std::get_if<Finish>(&action)) {
    note("finish " + finish->why.id);
    report_.finish = *finish;
  }
}

void CampaignWorld::assign(const Attempt& attempt) {
  if (!active_ || !(active_->attempt == attempt)) {
    note(fmt::format("assign {} {}", attempt.trial, attempt.number));
    active_ = Active{};
    active_->attempt = attempt;
  }
  to_agent(protocol::Assign{key_of(attempt), {}, active_->events});
  if (active_->collecting) {
    fetch();
  }
}

void CampaignWorld::fetch() {
  for (std::uint32_t file = active_->collected; file < kFilesOfATrial; ++file) {
    to_agent(protocol::Fetch{key_of(active_->attempt), file, 0, 1});
  }
}

void CampaignWorld::take(const protocol::Report& report) {
  if (const auto* events = std::get_if<protocol::Events>(&report)) {
    take_events(*events);
  } else if (const auto* status = std::get_if<protocol::Status>(&report)) {
    take_status(*status);
  } else if (const auto* data = std::get_if<protocol::FileData>(&report)) {
    take_file(*data);
  }
}

void CampaignWorld::take_events(const protocol::Events& events) {
  if (!is_active(events.key)) {
    return;
  }
  if (events.first > active_->events) {
    assign(active_->attempt);
    return;
  }
  for (std::uint64_t i = active_->events - events.first; i < events.events.size(); ++i) {
    const protocol::Event& event = events.events[i];
    if (const auto* step = std::get_if<protocol::StepLine>(&event)) {
      if (step->line != ++active_->lines) {
        report_.wrong.emplace_back("a line was lost or came twice");
      }
    } else if (const auto* exited = std::get_if<protocol::Exited>(&event)) {
      active_->exited = *exited;
    }
    ++active_->events;
  }
  to_agent(protocol::Acknowledge{events.key, active_->events});
  if (active_->exited && !active_->exit_told) {
    active_->exit_told = true;
    dispatch(coordinator::AttemptExited{active_->attempt,
                                        active_->exited->cause != protocol::kCauseLost});
  }
}

void CampaignWorld::take_status(const protocol::Status& status) {
  const protocol::TrialKey& key = status.key;
  if (!is_active(key)) {
    if (key.instance == instance_ && status.state != protocol::TrialState::lost) {
      dispatch(coordinator::StrayReported{{0, key.trial, key.attempt},
                                          status.state == protocol::TrialState::finished});
    }
    return;
  }
  const Attempt attempt = active_->attempt;
  if (status.state == protocol::TrialState::lost) {
    dispatch(coordinator::AttemptLost{attempt});
    return;
  }
  dispatch(coordinator::AttemptSeen{attempt});
  if (is_active(key)) {
    const std::uint64_t progress = active_->events + active_->collected;
    const bool waits = active_->collecting || status.events > active_->events;
    const bool stalled = waits && progress == active_->progress_at_status;
    active_->progress_at_status = progress;
    if (stalled) {
      assign(attempt);
    }
  }
}

void CampaignWorld::take_file(const protocol::FileData& data) {
  if (is_active(data.key) && active_->collecting && data.file == active_->collected) {
    ++active_->collected;
    if (active_->collected == kFilesOfATrial) {
      record();
    }
  }
}

void CampaignWorld::record() {
  const Attempt attempt = active_->attempt;
  note(fmt::format("record {} {} {} lines, {}", attempt.trial, attempt.number, active_->lines,
                   active_->exited->cause));
  ++report_.recorded[attempt.trial];
  dispatch(coordinator::AttemptRecorded{attempt});
}

}  // namespace mstune
