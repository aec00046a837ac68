// Going on with a campaign that was interrupted or killed: what its run directory already holds.
//
// Finished trials stay as they are on disk. An attempt that did not end may still run on an agent,
// so it goes on from what steps.log holds of it; what nobody can go on with is moved apart, and its
// trial is run again under a new attempt.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "common/os/descriptor.h"
#include "coordinator/campaign_events.h"
#include "coordinator/documents.h"
#include "coordinator/run_directory.h"
#include "coordinator/trial_recorder.h"

namespace mstune::coordinator {

struct ResumedRun {
  std::string session_id;
  Order order{OrderKind::fixed, 0};      // of the trials, with its seed
  std::vector<EvaluatedTrial> finished;  // by index
  // Of each trial: attempts that came to nothing; where it has finished, that one counts, too.
  std::map<std::uint32_t, std::uint32_t> attempts;
  std::map<std::uint32_t, LeftAttempt> unfinished;  // that may still run on an agent
  std::map<std::uint32_t, LeftTrial> left;          // those, as the dispatcher knows them
  std::map<std::string, BuiltOm> oms;               // by candidate
  std::map<std::string, std::string> versions;      // of what took part so far
  std::map<std::string, std::string> server_keys;   // with which agents answered
  std::optional<Fleet> fleet;                       // with the next: what the plan depends on
  std::vector<std::size_t> devices_at_looks;
  std::vector<Message> notes;  // what a person should know of what is on disk
  // Who took part, with one agent and one device, too. Empty when nothing has begun.
  std::optional<Fleet> before;
};

// What is asked for now.
struct ResumeRequest {
  CampaignDocument campaign;
  Spread spread = Spread::share;
  bool seed_given = false;  // the order's seed was asked for and not drawn
};

// What differs between the campaign on disk and the one that is asked for, in words; nothing when
// the one can go on as the other. Pure.
std::optional<Message> resume_obstacle(const CampaignDocument& saved, const ResumeRequest& wanted);

// Throws a usage error for a directory that holds no campaign of ours or another campaign than
// `wanted`, and an environment error for files that cannot be used.
ResumedRun resume_run(const RunDirectory& directory, const ResumeRequest& wanted);

// Held while a campaign writes there. Throws a usage error when another one does.
os::UniqueFd lock_run(const RunDirectory& directory);

}  // namespace mstune::coordinator
