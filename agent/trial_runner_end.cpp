// How a trial ends: its processes and containers, the rest of its logs, who was on its devices.
#include "agent/exited_limits.h"
#include "agent/trial_runner.h"
#include "protocol/causes.h"

namespace mstune::agent {

namespace fs = std::filesystem;

void TrialRunner::end_tree(TimePoint now) {
  if (!exit_code_) {
    exit_code_ = execution_->step_end(now);
  }
  if (!exit_code_ || !end_container(now)) {
    return;
  }
  ending_ = false;
  tell_left_behind(now);
  tell_stuck(now);
  handle(TreeEnded{*exit_code_}, now);
  if (draining_ && job_.takes_lines()) {
    drain(now);
  }
}

// What a container runs is not below the keeper. True when it is ended, or there is none.
bool TrialRunner::end_container(TimePoint now) {
  if (!container_) {
    const fs::path file = container_file(program_.command);
    if (file.empty()) {
      return true;
    }
    const Environment environment = parse_environment(program_.environment);
    container_.emplace(program_.command.front(), program_.working_directory / file, environment,
                       now);
  }
  return container_->step(now);
}

void TrialRunner::tell_left_behind(TimePoint now) {
  if (const auto left = execution_->left_behind(); !left.empty()) {
    handle(Noticed{message("trial.left_running",
                           "when the program had ended, it had left processes running; they were "
                           "ended: {}",
                           names_of(left))},
           now);
  }
}

void TrialRunner::tell_stuck(TimePoint now) {
  if (!is_stuck()) {
    return;
  }
  const std::vector<os::ProcessInfo> left = execution_->left();
  for (const os::ProcessInfo& process : left) {
    handle(Noticed{message("trial.stuck_process",
                           "process {} ({}) of this trial cannot be killed (state {}): its device "
                           "is not used until that process is gone",
                           process.key.id, process.name, std::string(1, process.state))},
           now);
  }
  if (left.empty()) {
    handle(Noticed{message("trial.stuck_unseen",
                           "something that this trial started is still there and can be neither "
                           "seen nor killed: its device is not used until that is gone")},
           now);
  }
}

void TrialRunner::drain(TimePoint now) {
  std::vector<protocol::Event> lines;
  const bool more = execution_->drain(lines);
  pass_on(std::move(lines), now);
  if (more) {
    return;
  }
  draining_ = false;
  for (const Message& loss : execution_->losses()) {
    handle(Noticed{loss}, now);
  }
  protocol::Facts facts = execution_->facts();
  std::vector<protocol::TrialFile> offered = offer_files(facts);
  constexpr std::size_t kTailLines = 20;
  drained_ = OutputDrained{std::move(offered),
                           execution_->output().dropped(),
                           {execution_->output().last_lines(kTailLines)},
                           {},
                           std::move(facts)};
  finish_drain(now);
}

// Those that fit into one message: of very many the first ones of plog lack.
std::vector<protocol::TrialFile> TrialRunner::offer_files(protocol::Facts& facts) {
  files_ = execution_->files();
  std::vector<protocol::TrialFile> offered;
  for (const KeptFile& file : files_) {
    offered.push_back(file.offered);
  }
  if (const auto too_many = static_cast<std::ptrdiff_t>(plog_files_too_many(offered));
      too_many > 0) {
    add_fact(facts, "files_left_out", static_cast<std::int64_t>(too_many));
    // The output stands before them.
    files_.erase(files_.begin() + 1, files_.begin() + 1 + too_many);
    offered.erase(offered.begin() + 1, offered.begin() + 1 + too_many);
  }
  return offered;
}

void TrialRunner::finish_drain(TimePoint now) {
  auto readings = step_meters(now);
  if (!foreign_->step(now) || !readings) {
    return;
  }
  OutputDrained drained = std::move(*drained_);
  drained.readings = std::move(*readings);
  if (const auto& why = foreign_->finding()) {
    drained.spoiled = Spoiled{protocol::kCauseForeign, *why};
  }
  drained_.reset();
  look_.reset();
  foreign_.reset();
  settings_.locks.clear();
  handle(drained, now);
}

std::optional<std::vector<protocol::DeviceReading>> TrialRunner::step_meters(TimePoint now) {
  if (!look_->step(now)) {
    return std::nullopt;
  }
  new_readings_ = look_->readings();
  return new_readings_;
}

}  // namespace mstune::agent
