#include "agent/job.h"

#include <algorithm>
#include <utility>

#include "agent/exited_limits.h"

namespace mstune::agent {

std::vector<JobAction> Job::begin(TimePoint now) {
  if (state_ == State::queued) {
    state_ = State::preparing;
    actions_.emplace_back(PrepareEnvironment{});
    send_status(now);
  }
  return std::exchange(actions_, {});
}

std::vector<JobAction> Job::handle(const JobEvent& event, TimePoint now) {
  expire(now);
  if (!finished()) {  // its time may have been over
    std::visit([&](const auto& happened) { on(happened, now); }, event);
  }
  send();
  return std::exchange(actions_, {});
}

TimePoint Job::deadline() const {
  return std::min({run_deadline_, grace_deadline_, next_status_, forgotten_at_});
}

bool Job::takes_lines() const {
  constexpr std::size_t kKeptMax = std::size_t{64} << 20U;
  return abandoned_ || log_.kept_bytes() < kKeptMax;
}

bool Job::holds_slot() const {
  return state_ != State::queued && state_ != State::removed;
}

protocol::TrialState Job::told_state() const {
  switch (state_) {
    case State::queued:
      return protocol::TrialState::queued;
    case State::preparing:
    case State::starting:
    case State::running:
    case State::ending:
    case State::draining:
      return protocol::TrialState::running;
    case State::finished:
    case State::removed:
      break;
  }
  return protocol::TrialState::finished;
}

// Deadlines act here and nowhere else, before the event that came with this time.
void Job::expire(TimePoint now) {
  if (now >= run_deadline_) {
    run_deadline_ = kNever;
    const double seconds = std::chrono::duration<double>(settings_.timeout).count();
    end(protocol::kCauseTimeout,
        message("trial.timeout", "it ran longer than {} ({}) and was ended", duration_text(seconds),
                settings_.timeout_rule),
        now);
  }
  if (now >= grace_deadline_) {
    const double seconds = std::chrono::duration<double>(settings_.reconnect_grace).count();
    abandon(message("trial.coordinator_lost",
                    "its coordinator was away for longer than {} (--reconnect-grace)",
                    duration_text(seconds)),
            now);
  }
  if (now >= forgotten_at_) {
    remove();
  }
  if (now >= next_status_) {
    send_status(now);
  }
}

// Whoever pings and asks for nothing of a finished trial keeps its device from others.
void Job::remember(TimePoint now) {
  constexpr Duration kLeast = std::chrono::seconds(10);
  if (state_ == State::finished) {
    forgotten_at_ = after(now, std::max(settings_.reconnect_grace, kLeast));
  }
}

void Job::remove() {
  state_ = State::removed;
  next_status_ = kNever;
  forgotten_at_ = kNever;
  actions_.emplace_back(RemoveJob{});
}

// The first cause stands: it is what the person wants to know.
void Job::end(const char* cause, Message detail, TimePoint now) {
  if (state_ == State::queued || state_ == State::preparing) {
    outcome_.cause = cause;
    outcome_.detail = std::move(detail);
    finish(now);
  } else if (state_ == State::starting && outcome_.cause.empty()) {
    // Nothing can be ended yet, and the slot is not free before it is known what there is to end.
    outcome_.cause = cause;
    outcome_.detail = std::move(detail);
  } else if (state_ == State::running) {
    outcome_.cause = cause;
    outcome_.detail = std::move(detail);
    // What ended it may have been noticed in the turn in which it was started, under the turn's
    // time.
    const Duration ran = std::max(now - started_, Duration::zero());
    outcome_.run_us = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(ran).count());
    run_deadline_ = kNever;
    state_ = State::ending;
    actions_.emplace_back(EndTree{});
  }
}

void Job::finish(TimePoint now) {
  state_ = State::finished;
  keep_within_limits(outcome_);
  log_.append(outcome_);
  remember(now);
  remove_if_abandoned();
}

void Job::abandon(Message why, TimePoint now) {
  grace_deadline_ = kNever;
  abandoned_ = true;
  end(protocol::kCauseLost, std::move(why), now);
  remove_if_abandoned();
}

// Nobody is there to release it.
void Job::remove_if_abandoned() {
  if (abandoned_ && state_ == State::finished) {
    remove();
  }
}

void Job::send() {
  if (!coordinator_present_ || finished()) {
    return;
  }
  for (EventBatch batch = log_.take(); !batch.events.empty(); batch = log_.take()) {
    actions_.emplace_back(SendEvents{std::move(batch)});
  }
}

void Job::send_status(TimePoint now) {
  next_status_ = coordinator_present_ ? after(now, settings_.status_period) : kNever;
  if (coordinator_present_) {
    actions_.emplace_back(SendStatus{told_state(), log_.count()});
  }
}

void Job::on(const EnvironmentReady& /*event*/, TimePoint /*now*/) {
  if (state_ == State::preparing) {
    state_ = State::starting;
    actions_.emplace_back(StartProgram{});
  }
}

void Job::on(const NotStarted& event, TimePoint now) {
  end(event.cause, event.why, now);
  if (state_ == State::starting) {
    finish(now);
  }
}

void Job::on(const ProgramStarted& event, TimePoint now) {
  if (state_ != State::starting) {
    return;
  }
  state_ = State::running;
  started_ = now;
  outcome_.started = true;
  outcome_.readings_before = event.readings;
  log_.append(protocol::Started{event.pid, event.wall_us, event.program});
  if (!outcome_.cause.empty()) {
    state_ = State::ending;  // what ended it came while it started
    actions_.emplace_back(EndTree{});
  } else if (settings_.timeout > Duration::zero()) {
    run_deadline_ = after(now, settings_.timeout);
  }
}

void Job::on(const LinesFound& event, TimePoint /*now*/) {
  if (abandoned_) {
    // Nobody waits for them; should the coordinator come back after all, it learns that they lack.
    outcome_.cause = protocol::kCauseLost;
    return;
  }
  for (const protocol::Event& line : event.lines) {
    if (const auto* event_line = std::get_if<protocol::EventLine>(&line)) {
      note_fallback(*event_line);
      if (++event_lines_ > protocol::kEventLinesMax) {
        continue;
      }
    }
    log_.append(line);
  }
}

void Job::note_fallback(const protocol::EventLine& line) {
  const auto kind = event_kind(line.text.value);
  if (!fallback_ && kind) {
    fallback_ = fallback_of(*kind);
  }
}

void Job::on(const Noticed& event, TimePoint /*now*/) {
  log_.append(protocol::Notice{event.what});
}

void Job::on(const ProgramExited& /*event*/, TimePoint now) {
  end(protocol::kCauseExit, {}, now);
}

void Job::on(const PlogOverflowed& /*event*/, TimePoint now) {
  end(protocol::kCauseTooMuchPlog,
      message("trial.too_much_plog",
              "it wrote plog faster than it could be read, far more than is kept of it (16 times "
              "--output-limit), and was ended before the disk was full"),
      now);
}

void Job::on(const TreeEnded& event, TimePoint /*now*/) {
  if (state_ == State::ending) {
    outcome_.exit_code = event.exit_code;
    state_ = State::draining;
    actions_.emplace_back(DrainOutput{});
  }
}

void Job::on(const OutputDrained& event, TimePoint now) {
  if (state_ == State::draining) {
    outcome_.files = event.files;
    outcome_.output_dropped_bytes = event.output_dropped_bytes;
    outcome_.output_tail = event.output_tail;
    outcome_.readings_after = event.readings;
    outcome_.facts = event.facts;
    if (event_lines_ > protocol::kEventLinesMax) {
      add_fact(outcome_.facts, "event_lines_left_out",
               static_cast<std::int64_t>(event_lines_ - protocol::kEventLinesMax));
    }
    // Who came onto the device explains more than what GE did then, and the trial is run again.
    if (outcome_.cause == protocol::kCauseExit && event.spoiled) {
      outcome_.cause = event.spoiled->cause;
      outcome_.detail = event.spoiled->why;
    } else if (outcome_.cause == protocol::kCauseExit && fallback_) {
      outcome_.cause = code_of(*fallback_);
      outcome_.detail = sentence_of(*fallback_);
    }
    finish(now);
    send_status(now);
  }
}

void Job::on(const CancelAsked& /*event*/, TimePoint now) {
  end(protocol::kCauseCancelled, message("trial.cancelled", "the coordinator cancelled it"), now);
}

void Job::on(const CoordinatorSeen& event, TimePoint now) {
  coordinator_present_ = true;
  abandoned_ = false;
  grace_deadline_ = kNever;
  // A number that cannot be right is ignored: the events that are there are sent from where we are.
  static_cast<void>(log_.rewind(event.events_from));
  remember(now);
  send_status(now);
}

void Job::on(const CoordinatorGone& event, TimePoint now) {
  if (coordinator_present_) {
    coordinator_present_ = false;
    next_status_ = kNever;
    grace_deadline_ = after(now, settings_.reconnect_grace);
  }
  if (event.for_good) {
    abandon(message("trial.coordinator_left", "its coordinator said goodbye"), now);
  }
}

void Job::on(const Acknowledged& event, TimePoint now) {
  static_cast<void>(log_.acknowledge(event.events));
  remember(now);
}

void Job::on(const FilesAsked& /*event*/, TimePoint now) {
  remember(now);
}

void Job::on(const ReleaseAsked& /*event*/, TimePoint /*now*/) {
  if (state_ == State::finished) {
    remove();
  }
}

void Job::on(const Tick& /*event*/, TimePoint /*now*/) {}

}  // namespace mstune::agent
