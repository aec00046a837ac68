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
#include "coordinator/documents.h"
#include "coordinator/run_directory.h"
#include "coordinator/trial_recorder.h"

namespace mstune::coordinator {

struct ResumedRun {
  std::string session_id;
  Order order{OrderKind::fixed, 0};                 // of the trials, with its seed
  std::vector<EvaluatedTrial> finished;             // by index
  std::map<std::uint32_t, std::uint32_t> attempts;  // that came to nothing, of those that are not
  std::map<std::uint32_t, AttemptProgress> unfinished;  // that may still run on an agent
  std::map<std::string, BuiltOm> oms;                   // by candidate
  std::map<std::string, std::string> versions;          // of what took part so far
};

// What differs between the campaign on disk and the one that is asked for, in words; nothing when
// the one can go on as the other. Pure.
std::optional<Message> resume_obstacle(const CampaignDocument& saved,
                                       const CampaignDocument& wanted, bool seed_given);

// Throws a usage error for a directory that holds no campaign of ours or another campaign than
// `wanted`, and an environment error for files that cannot be used. `seed_given`: the order's seed
// was asked for and not drawn.
ResumedRun resume_run(const RunDirectory& directory, const CampaignDocument& wanted,
                      bool seed_given);

// Held while a campaign writes there. Throws a usage error when another one does.
os::UniqueFd lock_run(const RunDirectory& directory);

}  // namespace mstune::coordinator
