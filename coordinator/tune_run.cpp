// Runs what was prepared, with all that goes around a session: the pass, an agent of our own, and
// somebody who cleans up when we are killed.
#include <csignal>
#include <memory>
#include <optional>
#include <utility>

#include "common/os/machine_turn.h"
#include "common/os/orphan_guard.h"
#include "common/os/signals.h"
#include "coordinator/local_agent.h"
#include "coordinator/managed_pass.h"
#include "coordinator/pass_place.h"
#include "coordinator/target.h"
#include "coordinator/tune.h"

namespace mstune::coordinator {
namespace {

// Installs it everywhere or, with an error, nowhere.
std::vector<std::unique_ptr<ManagedPass>> manage_passes(const Preparation& preparation,
                                                        const RunDirectory& directory,
                                                        const ManagedPass::Note& note) {
  std::vector<std::unique_ptr<ManagedPass>> passes;
  for (ManagedPass::Options options : preparation.passes) {
    options.owner = directory.path().filename().string();
    const bool one_of_many = preparation.passes.size() > 1;
    const std::string who = one_of_many && options.target ? title(*options.target) : std::string();
    const auto note_of = [note, who](const Message& what) {
      note(who.empty() ? what : message("pass.at_agent", "{}: {}", who, what));
    };
    passes.push_back(std::make_unique<ManagedPass>(std::move(options), note_of));
  }
  return passes;
}

// SIGINT and its like are held from the first line of main; what came before anything had begun
// needs no campaign to end it.
std::optional<SessionResult> interrupted_before(const Preparation& preparation) {
  os::SignalDescriptor signals;
  for (auto signal = signals.next(); signal; signal = signals.next()) {
    if (*signal != SIGCHLD) {
      SessionResult result;
      result.ending = Ending::interrupted;
      result.why = message("campaign.interrupted", "interrupted");
      result.trials = preparation.session.finished;
      result.fleet = preparation.document.fleet;
      return result;
    }
  }
  return std::nullopt;
}

}  // namespace

SessionResult run(Preparation& preparation, Stages& stages, const RunDirectory& directory,
                  Progress& progress) {
  if (auto interrupted = interrupted_before(preparation)) {
    return std::move(*interrupted);
  }
  // First, while there is one thread.
  std::optional<os::OrphanGuard> guard;
  if (!preparation.session.build.command.empty()) {
    guard.emplace([id = preparation.session.session_id] {
      os::MachineTurn turn(os::Activity::moving, os::turn_directory());
      turn.take();  // nobody measures beside a build that takes its time to end
      end_former_builds(id);
    });
  }
  const auto note = [&](const Message& what) { progress.note(what); };
  const auto passes = manage_passes(preparation, directory, note);
  if (passes.empty()) {
    if (const auto left = left_behind(variables_of(preparation.environment))) {
      note(*left);
    }
  }
  // One for each agent, or one for this machine.
  for (std::size_t at = 0; at < passes.size(); ++at) {
    preparation.session.agents[at].lease = passes[at]->renewal();
  }
  std::optional<LocalAgent> local;
  if (preparation.local) {
    local.emplace(preparation.environment, preparation.session.campaign.reconnect_grace,
                  preparation.session.session_id);
    preparation.session.agents.front().endpoint = local->endpoint();
  }
  Session session(preparation.session, stages, directory, progress);
  if (local) {
    session.use_local_agent(*local);
  }
  SessionResult result = session.run();
  // Who leaves at once leaves to the guard what is being built.
  if (guard && !result.left_at_once) {
    guard->dismiss();
  }
  local.reset();  // what it may still end uses the pass
  for (const auto& pass : passes) {
    if (auto failure = pass->release()) {
      note(*failure);
      result.left_behind = true;
    }
  }
  return result;
}

}  // namespace mstune::coordinator
