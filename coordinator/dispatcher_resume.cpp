// The dispatcher's work where an earlier session has done some of it.
#include <utility>

#include "coordinator/dispatcher.h"

namespace mstune::coordinator {

// What an earlier session began goes on where it was begun: first the blocks with a trial that may
// still run, since a device works at one block at a time.
void Dispatcher::take_up(std::size_t first_block) {
  if (devices_.empty()) {
    return;
  }
  const std::uint32_t first = first_block < blocks_.size() ? blocks_[first_block].first : 0;
  for (std::uint32_t trial = first; trial < trials_.size(); ++trial) {
    take_up_left(trial);
  }
  for (std::uint32_t trial = first; trial < trials_.size(); ++trial) {
    take_up_finished(trial);
  }
}

void Dispatcher::take_up_left(std::uint32_t trial) {
  const auto left = settings_.unfinished.find(trial);
  if (left == settings_.unfinished.end() || left->second.device >= devices_.size() ||
      trials_[trial].state != TrialState::waiting) {
    return;
  }
  const std::uint32_t device = left->second.device;
  devices_[device].left = trial;
  if (left->second.name != name_without_device(settings_.trials[trial])) {
    // What runs there is another trial: it is ended, and its attempt's number is not used again.
    settings_.unfinished.erase(left);
    abandon_left(device);
  } else if (!take_up_block(trials_[trial].block, device)) {
    abandon_left(device);
  }
}

void Dispatcher::take_up_finished(std::uint32_t trial) {
  const TrialProgress& progress = trials_[trial];
  const auto saved = settings_.finished.find(trial);
  if (progress.state != TrialState::done || progress.never_runs ||
      saved == settings_.finished.end() || !saved->second.trial.device) {
    return;
  }
  const std::uint32_t device = *saved->second.trial.device;
  settings_.trials[trial].device = device;
  if (device < devices_.size() && !take_up_block(progress.block, device) &&
      blocks_[progress.block].device != device) {
    run_anew(trial);
  }
}

// False when the device has other work or is not there, or the block stands on another one.
bool Dispatcher::take_up_block(std::size_t number, std::size_t at) {
  Block& block = blocks_[number];
  Device& device = devices_[at];
  if (block.device && *block.device != at) {
    return false;
  }
  block.device = at;
  const AgentState state = agents_[device.where.agent].state;
  const bool expected = state == AgentState::connecting || state == AgentState::ready;
  if (block.left > 0 && !device.block && !device.given_up && expected) {
    device.block = number;
  }
  return block.left == 0 || device.block == number;
}

// Nobody goes on with it: the next attempt is a new one.
void Dispatcher::abandon_left(std::size_t at) {
  if (const auto trial = std::exchange(devices_[at].left, std::nullopt)) {
    ++trials_[*trial].attempts;
    actions_.emplace_back(
        DiscardAttempt{{devices_[at].where.agent, *trial, trials_[*trial].attempts},
                       message("trial.left_behind",
                               "an earlier session left it running, and nobody goes on with it")});
  }
}

// An earlier session left it running, and it is about to be taken up.
bool Dispatcher::waits_for_left(const Attempt& attempt) const {
  if (!settings_.unfinished.contains(attempt.trial)) {
    return false;
  }
  if (attempt.trial >= trials_.size()) {
    return phase_ != Phase::running;  // its stage has not been asked for yet
  }
  const TrialProgress& progress = trials_[attempt.trial];
  return progress.state == TrialState::waiting && attempt.number == progress.attempts + 1;
}

}  // namespace mstune::coordinator
