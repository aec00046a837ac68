// Going on with a campaign that was interrupted or killed: what its run directory already holds.
//
// Finished trials stay as they are on disk. What an attempt left that did not end is moved apart,
// so that its trial is run again under a new attempt.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "common/os/descriptor.h"
#include "coordinator/documents.h"
#include "coordinator/run_directory.h"

namespace mstune::coordinator {

struct ResumedRun {
  std::string session_id;
  std::vector<EvaluatedTrial> finished;             // by index
  std::map<std::uint32_t, std::uint32_t> attempts;  // that were made, of the trials that are not
};

// What differs between the campaign on disk and the one that is asked for, in words; nothing when
// the one can go on as the other. Pure.
std::optional<Message> resume_obstacle(const CampaignDocument& saved,
                                       const CampaignDocument& wanted);

// Throws a usage error for a directory that holds no campaign of ours or another campaign than
// `wanted`, and an environment error for files that cannot be used.
ResumedRun resume_run(const RunDirectory& directory, const CampaignDocument& wanted,
                      const std::vector<Trial>& trials);

// Held while a campaign writes there. Throws a usage error when another one does.
os::UniqueFd lock_run(const RunDirectory& directory);

}  // namespace mstune::coordinator
